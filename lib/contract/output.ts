import * as v from 'valibot';
import { closedObject, nullable } from './closed-object.ts';
import { coded } from './issues.ts';
import { FilenamePrefix, OutputDirectory, OutputFilename } from './output-names.ts';

export const Transparency = closedObject({
  mode: v.optional(v.picklist(['auto', 'native', 'chroma_key']), 'auto'),
  key_color: nullable(
    v.pipe(v.string(), v.regex(/^#[0-9A-Fa-f]{6}$/, coded('invalid_value', 'must be #RRGGBB'))),
  ),
  transparent_threshold: v.optional(
    v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(254)),
    12,
  ),
  opaque_threshold: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(255)), 96),
  despill: v.optional(v.boolean(), true),
});

export const Output = closedObject({
  response_format: v.optional(v.picklist(['b64_json', 'artifact', 'url', 'metadata']), 'b64_json'),
  directory: v.optional(OutputDirectory),
  filename: v.optional(OutputFilename),
  filename_prefix: v.optional(FilenamePrefix),
  collision: v.optional(v.picklist(['error', 'suffix']), 'error'),
  metadata: v.optional(v.picklist(['none', 'sidecar', 'embedded', 'sidecar_and_embedded']), 'none'),
  transparency: v.optional(Transparency, {}),
});
export type Output = v.InferOutput<typeof Output>;
