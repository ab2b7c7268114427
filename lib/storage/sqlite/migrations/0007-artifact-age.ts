/** Retention: artifacts in the order of their age, and totals that follow when one becomes an intent again. */
export const ARTIFACT_AGE = `
CREATE INDEX artifact_age ON artifact (created_secs, id) WHERE state = 'published';

CREATE TRIGGER artifact_was_withdrawn AFTER UPDATE OF state ON artifact
WHEN old.state = 'published' AND new.state = 'pending'
BEGIN
  UPDATE artifact_total SET artifacts = artifacts - 1, bytes = bytes - old.bytes;
END;
`;
