/**
 * Statements of the app's own, in the transaction of the stores, or each in one of its own: for tables that are not
 * theirs. A value in the text is bound, never inserted; everything else of the text is run as it is written, in the
 * dialect of the engine.
 *
 * It is one statement, which no other can follow. Its effects on the connection, such as settings or session locks, end
 * with the transaction. Its rows have the values that the driver of the engine returns. It writes beside the stores: no
 * rule of an entity is applied, no version raised, and no listener called.
 *
 * A statement that fails throws the error of the driver, without the values of rows, or `SERVICE_UNAVAILABLE`. Its
 * transaction is rolled back then, even if the error is caught; to continue after a failure, run the statement in an
 * inner transaction.
 *
 * @throws TypeError for a statement that begins or ends a transaction, and after the end of its own; for a value that
 * can't be bound
 * @throws CodedError `INTERNAL_ERROR` in memory, where there is no SQL
 * @example
 * ```ts
 * const hold = (stores: Stores, userId: UserId) =>
 *   stores.transaction(async (tx) => {
 *     await tx.users.setDisabled(userId, true);
 *     await tx.sql`UPDATE legacy_orders SET state = 'on hold' WHERE customer = ${userId}`;
 *   });
 * ```
 */
export interface AppSql {
  (text: TemplateStringsArray, ...values: readonly AppSqlValue[]): Promise<readonly AppSqlRow[]>;

  /**
   * Types the rows of a statement by a schema that validates each of them.
   *
   * @throws TypeError naming the column that does not fit; the transaction is rolled back then
   * @example
   * ```ts
   * const listLate = (sql: AppSql, order: RowSchema<{ readonly id: string }>) =>
   *   sql.type(order)`SELECT id FROM legacy_orders WHERE state = 'late'`;
   * ```
   */
  type<Row>(
    schema: RowSchema<Row>,
  ): (text: TemplateStringsArray, ...values: readonly AppSqlValue[]) => Promise<readonly Row[]>;
}

/** A value that a statement binds. A date is bound as ISO 8601 text. */
export type AppSqlValue = string | number | boolean | Date | null;

/** A row as the driver of the engine returns it. */
export type AppSqlRow = Readonly<Record<string, unknown>>;

/**
 * A schema of rows, of any library that implements Standard Schema, such as zod.
 *
 * @see https://standardschema.dev
 */
export interface RowSchema<Row> {
  readonly '~standard': {
    readonly validate: (value: unknown) => RowValidation<Row> | Promise<RowValidation<Row>>;
  };
}

type RowValidation<Row> =
  | { readonly value: Row; readonly issues?: undefined }
  | {
      readonly issues: readonly {
        readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
      }[];
    };
