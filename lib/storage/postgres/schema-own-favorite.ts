/**
 * Adds the favourite mark that was set on the job itself, because a favourite image also sets "favorite". Earlier versions did not
 * distinguish the two marks, so a job with a favourite image counts as a favourite because of the image.
 */
export function ownFavoriteSchema(schema: string): string {
  return `
ALTER TABLE ${schema}.job
  ADD COLUMN own_favorite smallint NOT NULL DEFAULT 0 CHECK (own_favorite IN (0, 1));
UPDATE ${schema}.job SET own_favorite = 1
WHERE favorite = 1 AND strpos(artifacts, '"favorite":true') = 0;
`;
}
