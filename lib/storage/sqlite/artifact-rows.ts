import * as v from 'valibot';
import { OUTPUT_FORMATS } from '../../contract/request/parameters.ts';

/** The columns of `ArtifactRow`. */
export const ARTIFACT_COLUMNS = `id, scope, name, format, width, height, bytes, sha256, created_secs,
  sidecar_name, sidecar_bytes, sidecar_sha256`;

/** A row as the record of an artifact. */
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
  }),
  v.transform(toRecord),
);
interface Columns {
  readonly created_secs: number;
  readonly sidecar_name: string | null;
  readonly sidecar_bytes: number | null;
  readonly sidecar_sha256: string | null;
}

function toRecord<T extends Columns>({
  created_secs: createdSecs,
  sidecar_name: name,
  sidecar_bytes: bytes,
  sidecar_sha256: sha256,
  ...row
}: T) {
  // The table holds all three or none.
  const hasSidecar = name !== null && bytes !== null && sha256 !== null;
  return { ...row, createdSecs, ...(hasSidecar ? { sidecar: { name, bytes, sha256 } } : {}) };
}
