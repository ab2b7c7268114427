import { measureImage } from '../../images/measure-image.ts';
import type { Attachment } from '../draft.ts';

/** What keeps a file from being used. */
export type FileFault = 'format' | 'unreadable' | 'large';

/** The formats that the bridge takes, by how their files begin. */
const SIGNATURES = [
  { format: 'png', bytes: [0x89, 0x50, 0x4e, 0x47], at: 0 },
  { format: 'jpeg', bytes: [0xff, 0xd8, 0xff], at: 0 },
  { format: 'webp', bytes: [0x57, 0x45, 0x42, 0x50], at: 8 },
] as const;

/** A file of this machine as an attachment but for its role, known by its bytes and decoded once; or what is wrong with it. */
export async function readImageFile(
  file: File,
  maxBytes: number,
): Promise<Omit<Attachment, 'role'> | FileFault> {
  // A folder, or a file that is removed meanwhile, cannot be read.
  const start = await file
    .slice(0, 16)
    .arrayBuffer()
    .catch(() => undefined);
  if (start === undefined) return 'unreadable';
  const head = new Uint8Array(start);
  const found = SIGNATURES.find(({ bytes, at }) => bytes.every((byte, i) => head[at + i] === byte));
  if (found === undefined) return 'format';
  if (file.size > maxBytes) return 'large';
  const size = await measureImage(file);
  if (size === undefined) return 'unreadable';
  return {
    key: crypto.randomUUID(),
    name: file.name,
    format: found.format,
    ...size,
    bytes: file.size,
    content: file,
  };
}
