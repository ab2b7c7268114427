import * as v from 'valibot';
import { closedObject, nullable } from '../schema/closed-object.ts';
import { documented } from '../schema/fields.ts';
import { coded } from '../schema/issues.ts';
import { ShortText } from '../schema/text.ts';
import type { OutputFormat } from './parameters.ts';

// Windows reserves these names with any extension, and an artifact folder may be shared with a Windows machine.
const WINDOWS_RESERVED = /^(con|prn|aux|nul|com[0-9]|lpt[0-9])(\..*)?$/i;

const EXTENSIONS: Readonly<Record<string, OutputFormat>> = {
  '.png': 'png',
  '.jpg': 'jpeg',
  '.jpeg': 'jpeg',
  '.webp': 'webp',
};

/** Returns the image format of a filename extension, or undefined if the extension is unknown, as in `v1.2`. */
export function formatOfExtension(filename: string): OutputFormat | undefined {
  const dot = filename.lastIndexOf('.');
  return dot > 0 ? EXTENSIONS[filename.slice(dot).toLowerCase()] : undefined;
}

function isPortable(name: string, maxBytes: number): boolean {
  return (
    name.length >= 1 &&
    name.length <= maxBytes &&
    /^[A-Za-z0-9_-][A-Za-z0-9._-]*$/.test(name) &&
    !name.endsWith('.') &&
    !WINDOWS_RESERVED.test(name)
  );
}

// The pattern for documents. Reserved names and the lengths of path components are only checked in code.
const COMPONENT = '[A-Za-z0-9_-][A-Za-z0-9._-]*';

const OutputDirectory = v.pipe(
  ShortText,
  v.check(
    (path) => path.length <= 512 && path.split('/').every((part) => isPortable(part, 128)),
    coded('unsafe_path', 'must be a relative path of portable names, at most 512 bytes long'),
  ),
  v.metadata({ pattern: `^${COMPONENT}(/${COMPONENT})*$`, maxLength: 512 }),
);

const OutputFilename = v.pipe(
  ShortText,
  v.check(
    (name) => isPortable(name, 160),
    coded('unsafe_filename', 'must be a portable filename of at most 160 bytes'),
  ),
  v.metadata({ pattern: `^${COMPONENT}$`, maxLength: 160 }),
);

export const FilenamePrefix = v.pipe(
  ShortText,
  v.check(
    (name) => isPortable(name, 64),
    coded('unsafe_filename', 'must be a portable filename prefix of at most 64 bytes'),
  ),
  v.metadata({ pattern: `^${COMPONENT}$`, maxLength: 64 }),
);

export const Transparency = closedObject({
  mode: documented(
    v.optional(v.picklist(['auto', 'native', 'chroma_key']), 'auto'),
    'auto uses the alpha channel of the provider if available, else removes a flat background.',
  ),
  key_color: documented(
    nullable(
      v.pipe(ShortText, v.regex(/^#[0-9A-Fa-f]{6}$/, coded('invalid_value', 'must be #RRGGBB'))),
    ),
    'The background colour to request and remove. Chosen by the bridge if omitted.',
  ),
  transparent_threshold: documented(
    v.optional(v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(254)), 12),
    'Pixels up to this distance from the key colour become transparent; must be below opaque_threshold.',
  ),
  opaque_threshold: documented(
    v.optional(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(255)), 96),
    'Pixels at or above this distance from the key colour stay opaque.',
  ),
  despill: documented(
    v.optional(v.boolean(), true),
    'Removes the key colour from the edges of the subject.',
  ),
});

export const Output = closedObject({
  response_format: documented(
    v.optional(v.picklist(['b64_json', 'artifact', 'url', 'metadata']), 'b64_json'),
    'The delivery of images. metadata verifies and describes the images without keeping them. Jobs always use artifact.',
  ),
  directory: documented(
    v.optional(OutputDirectory),
    'A directory relative to the artifact root, or to the folder of the owner if a named token is used: portable names of at most 512 bytes. Only for artifact and url delivery.',
  ),
  filename: documented(
    v.optional(OutputFilename),
    'The filename of a single image; the extension is optional. Only for artifact and url delivery.',
  ),
  filename_prefix: documented(
    v.optional(FilenamePrefix),
    'A prefix for generated filenames, instead of a filename. Only for artifact and url delivery.',
  ),
  collision: documented(
    v.optional(v.picklist(['error', 'suffix']), 'error'),
    'The action if the filename exists: error rejects the request, suffix tries -2, -3 and so on.',
  ),
  metadata: documented(
    v.optional(v.picklist(['none', 'sidecar', 'embedded', 'sidecar_and_embedded']), 'none'),
    'The location of the ImageMetadataRecord: in a sidecar file (artifact delivery only), embedded in the image, or both.',
  ),
  transparency: v.optional(Transparency, {}),
});
export type Output = v.InferOutput<typeof Output>;
