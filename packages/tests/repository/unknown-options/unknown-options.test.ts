// Functions that create or declare something refuse options that do not exist, at every level, and say which are near.
// An exported function has to be in one of two lists: that of functions with such options, with a sample of all of
// them, or that of all others.
import { ConfigurationError } from '@x/errors';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { opaque, withOptions } from './samples.ts';
import type { Options, Sample } from './samples/sample.ts';

describe.each(Object.entries(withOptions))('@x/%s', (_package, samples) => {
  it.each(Object.entries(samples))('%s refuses options that do not exist', async (_name, { options, call }) => {
    for (const { path, known } of listLevels(options)) {
      const misspelt = known.map((each) => [misspell(each), [each]] as const);
      const others = ['zzzzzzzzzzzzzzzz', '__proto__', 'constructor'].map((each) => [each, known] as const);
      for (const [name, expected] of [...misspelt, ...others]) {
        const message = await messageOf(call, withOption(options, path, name));
        const line = message.split('\n').find((each) => each.includes([...path, `${name}: unknown option`].join('.')));
        expect(line, `${[...path, name].join('.')} in: ${message}`).toBeDefined();
        expect(expected.filter((each) => line?.includes(each))).not.toEqual([]);
      }
    }
  });
});

it('knows of every exported function whether it has options', async () => {
  const root = join(import.meta.dirname, '../../..');
  // Tools for tests, programs, and the code of a thread.
  const programs = ['openapi', 'store-sqlite', 'store-postgres'].map((name) => `${name}/src/command.ts`);
  const skipped = ['store-testing/src/', 'store-sqlite/src/query-worker.ts', ...programs];
  const files = readdirSync(root).flatMap((name) => {
    const manifest = JSON.parse(readFileSync(join(root, name, 'package.json'), 'utf8')) as Manifest;
    return manifest.private ? [] : Object.values(manifest.exports).map((file) => `${name}/${String(file).slice(2)}`);
  });
  const entries = files.filter((file) => /\.tsx?$/.test(file) && !skipped.some((prefix) => file.startsWith(prefix)));
  const exported = await Promise.all(
    entries.map(async (file) => {
      const functions = Object.entries((await import(join(root, file))) as object).filter(
        ([, value]) => typeof value === 'function',
      );
      return functions.map(([name]) => `${file.split('/')[0]} ${name}`);
    }),
  );
  const listed = [
    ...Object.entries(withOptions).flatMap(([from, samples]) => Object.keys(samples).map((name) => `${from} ${name}`)),
    ...Object.entries(withoutOptions).flatMap(([from, names]) => names.split(/\s+/).map((name) => `${from} ${name}`)),
  ];
  expect([...new Set(exported.flat())].toSorted()).toEqual(listed.filter((name) => !/[.,]| by$/.test(name)).toSorted());
});

interface Manifest {
  readonly private?: boolean;
  readonly exports: object;
}

/** Every object of options: how to get there, and the names that it has. */
function listLevels(options: Options, path: readonly string[] = []): readonly Level[] {
  const inner = Object.entries(options).flatMap(([name, value]) =>
    isOptions(value) ? listLevels(value, [...path, name]) : [],
  );
  return [{ path, known: Object.keys(options) }, ...inner];
}

interface Level {
  readonly path: readonly string[];
  readonly known: readonly string[];
}

function isOptions(value: unknown): value is Options {
  return (
    typeof value === 'object' &&
    value !== null &&
    Object.getPrototypeOf(value) === Object.prototype &&
    !opaque.has(value)
  );
}

/** Copies options, with one more at a level. */
function withOption(options: Options, [first, ...rest]: readonly string[], name: string): Options {
  const entries = Object.entries(options).map(([each, value]): [string, unknown] => [
    each,
    each === first && isOptions(value) ? withOption(value, rest, name) : value,
  ]);
  // `undefined` is refused as well; and from entries, `__proto__` is a name like any other.
  return Object.fromEntries(first === undefined ? [...entries, [name, undefined]] : entries);
}

/** Doubles the first letter: no other name is nearer. */
function misspell(name: string): string {
  return `${name.slice(0, 1)}${name}`;
}

async function messageOf(call: Sample['call'], options: Options): Promise<string> {
  try {
    await call(options as never);
  } catch (error) {
    if (error instanceof ConfigurationError || error instanceof TypeError) return error.message;
    throw error;
  }
  return 'It did not throw.';
}

/**
 * The others: they take values, not options, or are verbs or take a few options that no app sets by hand, where the
 * compiler checks.
 */
const withoutOptions: Readonly<Record<string, string>> = {
  access: `AuthorizationError computeAccessSet computeEntityAccess createAccessContext hashAccessSet requireEntitlement allowsAnonymous foldPredicate toWhere compileRule
    evaluateRule toRuleMeta resourceTypeOf toDenialCode decodeAccessSet encodeAccessSet`,
  auth: `describeAuth loadDevelopmentSecret addAuthRoutes createAuthRoutes canonicalizeEmail allowMail parseDuration callerOf csrfExemption createApiRequest createRequestCaller principal requirePrincipal
    requireRole requireSession requireSessionOf session requireCsrf requireOwnOrigin errorResponse withSetCookies`,
  client: `createCookieFetch createQueryCache followLive importRecords optimistic pages useAccess useConfirmation useList useMissingFields useQuery useSession watchList`,
  entity: `addEntityRoutes findResourceColumns from belongsTo isMovable toEntityTables toMaxTextLength endpointsOf endpointsOfService`,
  errors: `CodedError ConfigurationError notFound rateLimited unauthenticated validationFailed findInputProblem isObject
    isPrototypeKey tooBusy assertNodeVersion describeUnknownOption didYouMean findUnknownOptions refuseUnknownOptions fail
    succeed toExactNumber toLogger toResult unwrap isAsyncSchema pathOfIssue validateBySchema withJsonSchema`,
  http: `createCsrfPolicy csrf serveContent createClientAddress toReadError sendsAppCookie passesCsrfCheck requestOrigin csrfFailed hasBody readForm readJson readLines readNothing readOptionalJson requireBodyWithin requireLines sendsLines readParameters
    requireNoParameters requirePlainParameters requireUtf8Parameters errorHandler handleNotFound refuseHead refusesHead matchesEntityTag renderError renderJson
    renderMethodNotAllowed requestPath completeResponse createResponseContext requestIdOf responseHeaders
    setResponseContext compressOnce hashContent isAddressRange networkOf parseIpAddress`,
  openapi: `createReferencePage readScalar`,
  organizations: `createOrganizationHooks`,
  server: `errorHandler listen createProxy requireActionRequest requireActionSession requireSession runAuthStep sessionOf toExpressHandler toFastifyPlugin toHandle toHonoMiddleware
    toNodeHandler toRequestHandler toRouteHandlers`,
  store: `createDatabaseClock deleteInBatches isQueryTooExpensive MigrationError queryTooExpensive storeConflict storeUnavailable isStorableText toUserId
    isKnownToken toRefreshTokenHash RequiredRoles compareCodePoints FairQueue InFlightCalls Mutex RevocationListeners addStores withTimeLimit tableMissing
    recordedIf toEvents parseCursor toPage assertStorableText unstorableText sessionIdOfHash assertAmount assertMoment checkDebits checkEntries
    checkOverrides toReceipt assertReference assertSortable checkEntityRow checkEntityValues checkUniqueKey compareSortKeys isByRelated readSortCells readSortKey
    assertAggregable sortGroups toAverage toSum addExactly totalToText toUnits compareDecimals compareRelated fromUnits toDecimal isDate isEntityId rowRefused digestRow numericColumns uniqueKeys parseIndexPart
    matches and atPath contains endsWith eq findGranted granted gt gte isIn isNull lt lte ne not or related startsWith
    icontains istartsWith isPosition foldCase caseVariants`,
  'store-sql': `createSqlStores cutRows inspectTables runInspect toImageOf toValues DuplicateKeyError ForeignKeyError inSavepoint
    withTransactionExecutor applyMigrations reasonOf`,
};
