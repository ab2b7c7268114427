/** Who owns which artifact; a pending row is the intent of a publication that has not ended. */
export const ARTIFACT = `
CREATE TABLE artifact (
  id TEXT NOT NULL PRIMARY KEY,
  scope TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('pending', 'published')),
  name TEXT NOT NULL UNIQUE,
  format TEXT NOT NULL CHECK (format IN ('png', 'jpeg', 'webp')),
  width INTEGER NOT NULL CHECK (width > 0),
  height INTEGER NOT NULL CHECK (height > 0),
  bytes INTEGER NOT NULL CHECK (bytes > 0),
  sha256 TEXT NOT NULL CHECK (length(sha256) = 64),
  created_secs INTEGER NOT NULL
) STRICT;

CREATE INDEX artifact_pending ON artifact (id) WHERE state = 'pending';
`;
