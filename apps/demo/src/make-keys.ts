import { parseArguments, usage } from './key-files/parse-arguments.ts';
import { writeKeyFiles } from './key-files/write-key-files.ts';

const parsed = parseArguments(process.argv.slice(2));
if (!parsed.ok) {
  console.error(`${parsed.problem}\n\n${usage}`);
  process.exit(2);
}
try {
  const { privatePath, publicPath } = await writeKeyFiles(parsed.value);
  console.log(`A key pair was made. These variables have the demo sign with it:

JWT_ALGORITHM=${parsed.value.algorithm}
JWT_PRIVATE_KEY=file:${privatePath}
JWT_PUBLIC_KEY=file:${publicPath}`);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
}
