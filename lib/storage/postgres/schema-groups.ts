/** Returns the columns of the groups of jobs, and the index that finds the jobs of a group. */
export function groupsSchema(schema: string): string {
  return `
ALTER TABLE ${schema}.job
  ADD COLUMN group_id text COLLATE "C",
  ADD COLUMN group_row integer,
  ADD COLUMN group_column integer;
CREATE INDEX job_group ON ${schema}.job (scope, group_id, seq) WHERE group_id IS NOT NULL;
`;
}
