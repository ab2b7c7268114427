/** How many artifacts there are and how long they are together, kept as they come and go: counting rows takes too long. */
export const ARTIFACT_TOTAL = `
CREATE TABLE artifact_total (
  only_row INTEGER NOT NULL PRIMARY KEY CHECK (only_row = 1),
  artifacts INTEGER NOT NULL CHECK (artifacts >= 0),
  bytes INTEGER NOT NULL CHECK (bytes >= 0)
) STRICT;

INSERT INTO artifact_total
SELECT 1, count(*), coalesce(sum(bytes), 0) FROM artifact WHERE state = 'published';

CREATE TRIGGER artifact_was_published AFTER UPDATE OF state ON artifact
WHEN old.state = 'pending' AND new.state = 'published'
BEGIN
  UPDATE artifact_total SET artifacts = artifacts + 1, bytes = bytes + new.bytes;
END;

CREATE TRIGGER artifact_was_removed AFTER DELETE ON artifact
WHEN old.state = 'published'
BEGIN
  UPDATE artifact_total SET artifacts = artifacts - 1, bytes = bytes - old.bytes;
END;
`;
