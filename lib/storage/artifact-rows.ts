import * as v from 'valibot';
import type { ArtifactPosition } from '../artifacts/artifact-store-port.ts';
import { Provenance } from '../contract/reply/provenance.ts';
import { OUTPUT_FORMATS } from '../contract/request/parameters.ts';
import { BridgeError } from '../errors/bridge-error.ts';

/** The columns of `ArtifactRow`. */
export const ARTIFACT_COLUMNS = `id, scope, name, format, width, height, bytes, sha256, created_secs,
  sidecar_name, sidecar_bytes, sidecar_sha256, provenance`;

/** The position before all artifacts. */
export const BEFORE_FIRST_ARTIFACT: ArtifactPosition = {
  createdSecs: Number.MIN_SAFE_INTEGER,
  id: '',
};

/** Parses a row as an artifact record. */
export const ArtifactRow = v.pipe(
  v.object({
    id: v.string(),
    scope: v.string(),
    name: v.string(),
    format: v.picklist(OUTPUT_FORMATS),
    width: v.number(),
    height: v.number(),
    bytes: v.number(),
    sha256: v.string(),
    created_secs: v.number(),
    sidecar_name: v.nullable(v.string()),
    sidecar_bytes: v.nullable(v.number()),
    sidecar_sha256: v.nullable(v.string()),
    // A later version may know other facts, which this version must ignore to read its other columns.
    provenance: v.fallback(v.nullable(v.pipe(v.string(), v.parseJson(), Provenance)), null),
  }),
  v.transform(
    ({
      created_secs: createdSecs,
      sidecar_name: name,
      sidecar_bytes,
      sidecar_sha256,
      provenance,
      ...row
    }) => {
      // The three columns are either all set or all NULL.
      const sidecar =
        name !== null && sidecar_bytes !== null && sidecar_sha256 !== null
          ? { sidecar: { name, bytes: sidecar_bytes, sha256: sidecar_sha256 } }
          : {};
      return { ...row, createdSecs, ...sidecar, ...(provenance && { provenance }) };
    },
  ),
);

/** Parses rows, and sorts their records by id. An UPDATE returns its rows without an order. */
export function parseById(rows: readonly unknown[]): readonly v.InferOutput<typeof ArtifactRow>[] {
  return v.parse(v.array(ArtifactRow), rows).toSorted((a, b) => (a.id < b.id ? -1 : 1));
}

/** Returns the error for an artifact that is not an intent of this process. */
export function noLongerPending(): BridgeError {
  return new BridgeError('artifact', 'the artifact is no longer pending');
}
