/**
 * What lists show of a job from its start: the size that was planned for it, and how many images it came with. Earlier jobs
 * have the size of their result, else of their request; those without a readable request have `auto` and none.
 */
export const JOB_SUMMARY = `
ALTER TABLE job ADD COLUMN size TEXT NOT NULL DEFAULT 'auto';
ALTER TABLE job ADD COLUMN inputs INTEGER NOT NULL DEFAULT 0 CHECK (inputs >= 0);

UPDATE job SET
  size = coalesce(result ->> '$.effective.size', request ->> '$.parameters.size', 'auto'),
  inputs = coalesce(json_array_length(request, '$.images'), 0)
    + (coalesce(json_type(request, '$.mask'), 'null') = 'object')
    + coalesce(json_array_length(request, '$.reference_images'), 0)
FROM job_content
WHERE job_content.seq = job.seq
  AND job.scope <> 'legacy-unowned' AND json_valid(request) AND json_valid(coalesce(result, '{}'));

CREATE INDEX job_list_of_provider
  ON job (scope, provider, status, favorite, deleted IS NULL, seq);
`;
