import { measureImage } from '../../images/measure-image.ts';
import type { Page } from '../../page.ts';
import { formatBytes, type TextKey, text } from '../../text/text.ts';
import { type Attachment, firstSource } from '../draft.ts';

const FAULTS: Record<FileFault, TextKey> = {
  format: 'make.file.format',
  unreadable: 'make.file.unreadable',
  large: 'make.file.large',
};

/** inputs.max_bytes_each, as it is set unless the operator changes it: until the model's limits are known. */
const USUAL_MAX_BYTES = 33_554_432;

/** Adds files to the draft, the first as its source where it has none. What cannot be used is named, the rest is taken. */
export async function attachFiles({ draft, chosen, toasts }: Page, files: readonly File[]) {
  const capabilities = chosen.peek()?.capabilities;
  const hasSource = () => firstSource(draft.attachments.peek()) !== undefined;
  for (const file of files) {
    const limits = hasSource() ? capabilities?.reference_images : capabilities?.edit_images;
    const maxBytes = limits?.max_bytes_each ?? USUAL_MAX_BYTES;
    const result = await readImageFile(file, maxBytes);
    // Other files may have been added while this one was read.
    if (typeof result !== 'string') {
      draft.attach({ ...result, role: hasSource() ? 'reference' : 'source' });
    } else {
      toasts.show({
        kind: 'failed',
        text: text('make.file.cannotBeRead', { name: file.name }),
        detail: text(FAULTS[result], {
          size: formatBytes(file.size),
          limit: formatBytes(roundedDown(maxBytes)),
        }),
      });
    }
  }
}

/** A limit in whole megabytes: a file that has no more is taken. */
function roundedDown(bytes: number): number {
  return bytes < 1_000_000 ? bytes : Math.floor(bytes / 1_000_000) * 1_000_000;
}

/** What keeps a file from being used. */
type FileFault = 'format' | 'unreadable' | 'large';

/** The formats that the bridge takes, by how their files begin. */
const SIGNATURES = [
  { format: 'png', bytes: [0x89, 0x50, 0x4e, 0x47], at: 0 },
  { format: 'jpeg', bytes: [0xff, 0xd8, 0xff], at: 0 },
  { format: 'webp', bytes: [0x57, 0x45, 0x42, 0x50], at: 8 },
] as const;

/** A file of this machine as an attachment but for its role, known by its bytes and decoded once; or what is wrong with it. */
async function readImageFile(
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
