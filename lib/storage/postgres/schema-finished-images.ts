/** Returns the count of finished images of a running job. Replicas of earlier versions, which do not count, leave it at 0. */
export function finishedImagesSchema(schema: string): string {
  return `
ALTER TABLE ${schema}.job_progress ADD COLUMN finished_images integer NOT NULL DEFAULT 0;
`;
}
