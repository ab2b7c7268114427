/** Returns the step that adds the titles of presets. The column has the same meaning as in the SQLite migration `PRESET_TITLES`. */
export function titlesSchema(schema: string): string {
  return `ALTER TABLE ${schema}.preset ADD COLUMN title text;`;
}
