/** Returns the step that adds the provenance of artifacts. The column has the same meaning as in the SQLite migration `PROVENANCE`. */
export function provenanceSchema(schema: string): string {
  return `ALTER TABLE ${schema}.artifact ADD COLUMN provenance text;`;
}
