#!/usr/bin/env node
import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { createOpenApiDocument, type DocumentOptions } from './create-openapi-document.ts';

const usage = `usage: openapi <module> [<file>]

Writes the OpenAPI document of what <module> exports by default: what createOpenApiDocument takes.
Without <file> it goes to the standard output.`;

process.exitCode = await runCommand(process.argv.slice(2));

/**
 * Runs the command `openapi` and returns its exit code. It loads only the module, and starts no server.
 *
 * @throws the errors of loading the module
 */
async function runCommand([module, file, ...rest]: readonly string[]): Promise<number> {
  if (module === undefined || module.startsWith('-') || rest.length > 0) {
    process.stderr.write(`${usage}\n`);
    return 2;
  }
  const loaded = (await import(pathToFileURL(resolve(module)).href)) as { readonly default?: unknown };
  if (typeof loaded.default !== 'object' || loaded.default === null) {
    process.stderr.write(`${module} exports nothing by default that could be described.\n`);
    return 1;
  }
  const text = `${JSON.stringify(createOpenApiDocument(loaded.default as DocumentOptions), null, 2)}\n`;
  if (file === undefined) process.stdout.write(text);
  else await writeFile(file, text);
  return 0;
}
