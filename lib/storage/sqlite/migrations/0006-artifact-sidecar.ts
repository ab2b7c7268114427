/** The metadata file beside an image: all three columns, or none. Totals count images alone. */
export const ARTIFACT_SIDECAR = `
ALTER TABLE artifact ADD COLUMN sidecar_name TEXT;
ALTER TABLE artifact ADD COLUMN sidecar_bytes INTEGER CHECK (sidecar_bytes > 0);
ALTER TABLE artifact ADD COLUMN sidecar_sha256 TEXT CHECK (
  length(sidecar_sha256) = 64
  AND (sidecar_name IS NULL) = (sidecar_bytes IS NULL)
  AND (sidecar_name IS NULL) = (sidecar_sha256 IS NULL)
);

CREATE UNIQUE INDEX artifact_sidecar ON artifact (sidecar_name) WHERE sidecar_name IS NOT NULL;
`;
