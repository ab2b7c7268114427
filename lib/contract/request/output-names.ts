import * as v from 'valibot';
import { coded } from '../schema/issues.ts';
import { ShortText } from '../schema/text.ts';
import type { OutputFormat } from './parameters.ts';

// Windows reserves these names with any extension, and an artifact folder may be shared with Windows.
const WINDOWS_RESERVED = /^(con|prn|aux|nul|com[0-9]|lpt[0-9])(\..*)?$/i;

const EXTENSIONS: Readonly<Record<string, OutputFormat>> = {
  '.png': 'png',
  '.jpg': 'jpeg',
  '.jpeg': 'jpeg',
  '.webp': 'webp',
};

/** Returns the image format of a filename's extension, or undefined for an unknown extension, as in `v1.2`. */
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

// The pattern for documents. Reserved names and the lengths of components are only checked in code.
const COMPONENT = '[A-Za-z0-9_-][A-Za-z0-9._-]*';

export const OutputDirectory = v.pipe(
  ShortText,
  v.check(
    (path) => path.length <= 512 && path.split('/').every((part) => isPortable(part, 128)),
    coded('unsafe_path', 'must be a relative path of portable names, at most 512 bytes long'),
  ),
  v.metadata({ pattern: `^${COMPONENT}(/${COMPONENT})*$`, maxLength: 512 }),
);

export const OutputFilename = v.pipe(
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
