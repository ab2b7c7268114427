/**
 * Stored images stay as long as the jobs that came with them. Each counts as ordinary history once, with the last of its
 * jobs. The images of jobs that ended before were removed then. No trigger changes a job: what one scope sends must not
 * show in the changes of another.
 */
export const KEPT_INPUT = `
ALTER TABLE job_input ADD COLUMN bytes INTEGER NOT NULL DEFAULT 0 CHECK (bytes >= 0);

UPDATE job_input SET bytes = coalesce((
  SELECT request ->> (tree.path || '.bytes')
  FROM job_content, json_tree(iif(json_valid(request), request, '{}')) AS tree
  WHERE job_content.seq = job_input.seq AND tree.key = 'sha256' AND tree.value = job_input.sha256
    AND (tree.path = '$.mask' OR tree.path GLOB '$.images[[]*'
      OR tree.path GLOB '$.reference_images[[]*')
  LIMIT 1
), 0);

CREATE TRIGGER job_input_was_added AFTER INSERT ON job_input
BEGIN
  UPDATE job_total SET ordinary_bytes = ordinary_bytes - new.bytes
  WHERE EXISTS (
    SELECT 1 FROM job
    WHERE seq = (SELECT max(seq) FROM job_input WHERE sha256 = new.sha256 AND seq < new.seq)
      AND completed IS NOT NULL AND favorite = 0
  );
END;

CREATE TRIGGER job_inputs_were_changed AFTER UPDATE OF favorite, completed ON job
WHEN EXISTS (SELECT 1 FROM job_input WHERE seq = new.seq)
BEGIN
  UPDATE job_total SET ordinary_bytes = ordinary_bytes + (
    (new.completed IS NOT NULL AND new.favorite = 0)
    - (old.completed IS NOT NULL AND old.favorite = 0)
  ) * (
    SELECT coalesce(sum(bytes), 0) FROM job_input AS own
    WHERE seq = new.seq AND NOT EXISTS (
      SELECT 1 FROM job_input WHERE sha256 = own.sha256 AND seq > own.seq
    )
  );
END;

CREATE TRIGGER job_inputs_are_removed BEFORE DELETE ON job
WHEN EXISTS (SELECT 1 FROM job_input WHERE seq = old.seq)
BEGIN
  UPDATE job_total SET ordinary_bytes = ordinary_bytes + (
    SELECT coalesce(sum(own.bytes * (
      coalesce((
        SELECT completed IS NOT NULL AND favorite = 0 FROM job
        WHERE seq = (SELECT max(seq) FROM job_input WHERE sha256 = own.sha256 AND seq < own.seq)
      ), 0) - (old.completed IS NOT NULL AND old.favorite = 0)
    )), 0)
    FROM job_input AS own
    WHERE own.seq = old.seq AND NOT EXISTS (
      SELECT 1 FROM job_input WHERE sha256 = own.sha256 AND seq > own.seq
    )
  );
END;
`;
