import type { Statement } from 'better-sqlite3';

/**
 * Returns a function that prepares each SQL text once and keeps its statement. The texts must come from a limited set: values are
 * parameters.
 */
export function keepStatements(prepare: (sql: string) => Statement): (sql: string) => Statement {
  const statements = new Map<string, Statement>();
  return (sql) => {
    const statement = statements.get(sql) ?? prepare(sql);
    statements.set(sql, statement);
    return statement;
  };
}
