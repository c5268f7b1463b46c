import { type Awaitable, type Issue, validationFailed } from '@x/errors';
import { z } from 'zod';
import { commonPasswordList } from './common-passwords-data.ts';
import { normalizePassword } from './hasher.ts';

/** The requirements on a new password, besides the fixed upper limits and the list of common passwords. */
export interface PasswordPolicy {
  /** In code points, so that an emoji or a letter beyond the BMP counts once. */
  readonly minLength: number;
  readonly requireUppercase: boolean;
  readonly requireNumbers: boolean;
  /**
   * Further passwords to refuse in any letter case, given in lower case: for example the name of the product or the
   * company.
   */
  readonly blocklist?: ReadonlySet<string>;
  readonly check?: CheckPassword | undefined;
}

/**
 * Checks a password that fulfils the rest of the policy, in NFKC as it is hashed then. Returns its problem, or null.
 * Called wherever a password is set; the request waits for it.
 */
export type CheckPassword = (password: string, owner: PasswordOwner) => Awaitable<PasswordProblem | null>;

/** Whose password it will be. */
export interface PasswordOwner {
  /** In canonical form. */
  readonly email: string;
}

/** Why a password is refused: an issue of `VALIDATION_FAILED`. */
export interface PasswordProblem {
  /** For programs, such as `breached`. */
  readonly code: string;
  /** For people. */
  readonly message: string;
}

/** The settings of the policy. */
export interface PolicySettings extends Omit<PasswordPolicy, 'blocklist'> {
  readonly blocklist?: readonly string[] | undefined;
}

/** Converts the settings to the policy. */
export function toPasswordPolicy({ blocklist = [], ...rules }: PolicySettings): PasswordPolicy {
  return { ...rules, blocklist: new Set(blocklist.map((refused) => normalizePassword(refused).toLowerCase())) };
}

/** The most code points that a password may have. */
const maxPasswordLength = 256;

/** The most bytes of UTF-8 that a password may have. */
const maxPasswordBytes = 1024;

/**
 * A password as sent: any text that could be the password of an account. The policy is checked only when one is set.
 */
export const passwordSchema: z.ZodType<string> = z
  .string()
  .refine((text) => text.isWellFormed(), { params: { code: 'invalid_format' }, message: 'Invalid text' })
  .refine((text) => Buffer.byteLength(text) <= maxPasswordBytes, {
    params: { code: 'too_big' },
    message: 'Too long',
  })
  .meta({ format: 'password', examples: ['correct horse battery'] });

/**
 * Finds all problems of a new password; an empty list means that it is accepted.
 *
 * Codes: `invalid_format` (not well-formed Unicode), `too_big`, `too_small`, `missing_uppercase`, `missing_number`,
 * `too_common`. Comparison with refused passwords ignores case, because `Password1` is as easily guessed as
 * `password1`. The policy applies to the form that is hashed; a password is never trimmed or truncated.
 *
 * @param path - where the password is in the caller's input, for the issues
 */
export function findPasswordProblems(
  password: string,
  policy: PasswordPolicy,
  path: Issue['path'] = ['password'],
): readonly Issue[] {
  const toIssue = ([code, message]: readonly [string, string]): Issue => ({ path, code, message });
  const unusable = findUnusable(password);
  if (unusable !== null) return [toIssue(unusable)];
  const normalized = normalizePassword(password);
  return requirements.filter(({ isMet }) => !isMet(normalized, policy)).map(({ problem }) => toIssue(problem(policy)));
}

/**
 * Makes sure that a new password is acceptable. Called wherever one is set. The app's own check may ask another
 * service, so it comes last.
 *
 * @throws CodedError `VALIDATION_FAILED` with every problem
 */
export async function assertGoodPassword(
  policy: PasswordPolicy,
  { password, email, path }: PasswordOwner & { readonly password: string; readonly path: Issue['path'] },
): Promise<void> {
  const problems = findPasswordProblems(password, policy, path);
  if (problems.length > 0) throw validationFailed(problems);
  const problem = await policy.check?.(normalizePassword(password), { email });
  if (problem) throw validationFailed([{ path, code: problem.code, message: problem.message }]);
}

interface Requirement {
  readonly isMet: (password: string, policy: PasswordPolicy) => boolean;
  readonly problem: (policy: PasswordPolicy) => readonly [code: string, message: string];
}

const requirements: readonly Requirement[] = [
  {
    isMet: (password, { minLength }) => countCodePoints(password) >= minLength,
    problem: ({ minLength }) => ['too_small', `The password must have at least ${minLength} characters.`],
  },
  {
    isMet: (password, { requireUppercase }) => !requireUppercase || /\p{Lu}/u.test(password),
    problem: () => ['missing_uppercase', 'The password must contain an upper-case letter.'],
  },
  {
    isMet: (password, { requireNumbers }) => !requireNumbers || /\p{Nd}/u.test(password),
    problem: () => ['missing_number', 'The password must contain a digit.'],
  },
  {
    isMet: (password, { blocklist }) => !isRefused(password.toLowerCase(), blocklist),
    problem: () => ['too_common', 'The password is one of those that are guessed first.'],
  },
];

function isRefused(password: string, blocklist: ReadonlySet<string> = new Set()): boolean {
  return commonPasswords().has(password) || blocklist.has(password);
}

/** Says why a password can't be hashed. UTF-8 has no lone surrogates, so any two of them would hash alike. */
function findUnusable(password: string): readonly [code: string, message: string] | null {
  if (!password.isWellFormed()) return ['invalid_format', 'The password must be well-formed Unicode text.'];
  const isShort = Buffer.byteLength(password) <= maxPasswordBytes;
  if (isShort && countCodePoints(normalizePassword(password)) <= maxPasswordLength) return null;
  return ['too_big', `The password must have at most ${maxPasswordLength} characters and ${maxPasswordBytes} bytes.`];
}

function countCodePoints(text: string): number {
  return Array.from(text).length;
}

let passwords: ReadonlySet<string> | undefined;

/**
 * Returns the 3 000 most common passwords of at least 8 characters, in lower case.
 *
 * The first call builds the set, which takes less than a millisecond.
 */
export function commonPasswords(): ReadonlySet<string> {
  passwords ??= new Set(commonPasswordList.trim().split(/\s+/));
  return passwords;
}
