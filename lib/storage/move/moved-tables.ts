/**
 * The tables that both databases have, parents before their children. A move copies all their columns, except for the columns in
 * `KEPT_COLUMNS`.
 */
export const MOVED_TABLES = [
  'artifact',
  'artifact_total',
  'preset',
  'session',
  'job',
  'job_content',
  'job_input',
  'job_label',
  'job_image',
  'job_parent',
  'job_output',
  'webhook',
  'job_batch',
  'job_change',
  'job_total',
  'job_scope',
  'job_active',
  'queue',
  'charge',
  'spending',
  'usage',
  'usage_model',
  'billed_call',
  'ledger',
  'ledger_row',
  'ledger_ticket',
] as const;

/** The tables whose only row is created together with the table. */
export const ONE_ROW_TABLES: readonly string[] = ['artifact_total', 'job_total', 'queue'];

/** The columns of moved tables that only PostgreSQL has. Their values are made from the other columns. */
export const KEPT_COLUMNS: Readonly<Partial<Record<string, readonly string[]>>> = {
  job: ['hidden'],
  job_scope: ['changes'],
  job_total: ['last_seq'],
};

/** Returns the SQL condition of the rows that are moved. PostgreSQL keeps the row of a scope without jobs, and SQLite does not. */
export function movedRowsSql(table: string): string {
  return table === 'job_scope' ? 'held > 0' : 'true';
}

/** Returns the columns that are not in `KEPT_COLUMNS`, in alphabetical order. */
export function movedColumns(table: string, columns: readonly string[]): readonly string[] {
  const kept = KEPT_COLUMNS[table] ?? [];
  return columns.filter((column) => !kept.includes(column)).toSorted();
}

/** Returns the order in which rows are read. Rows of jobs are added fastest in the order of their numbers. */
export function movedOrderSql(columns: readonly string[]): string {
  return columns.includes('seq') ? 'ORDER BY seq' : '';
}
