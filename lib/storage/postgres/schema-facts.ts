/** Returns the index over the facts by which jobs are filtered and counted, as in the SQLite migration `FACTS`. */
export function factsSchema(schema: string): string {
  return `
CREATE INDEX job_facts ON ${schema}.job (scope, seq)
  INCLUDE (created, status, favorite, hidden, provider, model, operation, size);
`;
}
