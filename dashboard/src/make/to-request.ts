import type { Capabilities, ImageRequest, JobRequest, PresetTemplate } from '../api/schemas.ts';
import type { MaskEdge } from '../canvas/mask-edge.ts';
import type { Attachment, DraftContent } from './draft.ts';

type Input = NonNullable<ImageRequest['images']>[number];

/** Returns the request of a draft with its images. Throws FileMoved if a local file can no longer be read. */
export async function toRequest(
  settings: PresetTemplate,
  { attachments, mask, maskEdge, labels }: Omit<DraftContent, 'settings'>,
): Promise<JobRequest> {
  const sources = attachments.filter(({ role }) => role === 'source');
  const references = attachments.filter(({ role }) => role === 'reference');
  const [images, referenceImages, maskInput] = await Promise.all([
    Promise.all(sources.map(toInput)).then((inputs) => withCanvas(inputs, sources[0])),
    Promise.all(references.map(toInput)),
    mask && sources[0] && toMask(mask, maskEdge, sources[0]).then(toDataUrl),
  ]);
  return {
    ...settings,
    prompt: settings.prompt ?? '',
    operation: sources.length > 0 ? 'edit' : 'generate',
    ...(images.length > 0 && { images }),
    ...(referenceImages.length > 0 && { reference_images: referenceImages }),
    ...(maskInput !== undefined && { mask: { type: 'data_url', data_url: maskInput } }),
    ...(labels.length > 0 && { labels: [...labels] }),
  };
}

/** Resolves with the mask as it is sent: with its edge, and on the canvas. The code that makes it is loaded when it is needed. */
async function toMask(
  mask: Blob,
  edge: MaskEdge,
  { canvas, ...source }: Attachment,
): Promise<Blob> {
  if (canvas === undefined && edge.feather === 0 && edge.grow === 0) return mask;
  const { toSentMask } = await import('../canvas/mask-image.ts');
  const { width, height } = source;
  return toSentMask({ mask, source: { width, height }, area: canvas, ...edge });
}

/** Describes the mask of a plan, which has the size of the canvas. */
export function describeMask(source: Attachment) {
  const { width, height } = source.canvas ?? source;
  return { type: 'described' as const, format: 'png' as const, width, height, bytes: source.bytes };
}

/** Adds the canvas of the first source to its input. */
function withCanvas([first, ...others]: readonly Input[], source: Attachment | undefined): Input[] {
  if (first === undefined) return [];
  const canvas = source?.canvas;
  return [canvas === undefined ? first : { ...first, canvas }, ...others];
}

/** The error for a local file that was moved or changed after it was added. */
export class FileMoved extends Error {
  readonly file: string;
  constructor(file: string, cause: unknown) {
    super('a file cannot be read any longer', { cause });
    this.file = file;
  }
}

async function toInput({ content, name }: Attachment): Promise<Input> {
  if (!(content instanceof Blob)) return { type: 'artifact', artifact_id: content.artifactId };
  const dataUrl = await toDataUrl(content).catch((error: unknown) => {
    throw new FileMoved(name, error);
  });
  return { type: 'data_url', data_url: dataUrl, filename: toFilename(name) };
}

/** Replaces separators and control characters, because the bridge accepts only one safe path component. */
function toFilename(name: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are replaced here
  return name.replace(/[/\\\u0000-\u001f\u007f]/g, '_').slice(-128) || '_';
}

/** Encodes a blob as a data URL. The browser encodes base64 off the main thread. */
export function toDataUrl(blob: Blob): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(blob);
  });
}

/** The number of previews that are requested if the model supports them and the draft does not set a number. */
const PREVIEWS = 2;

/** Returns the settings to send, with previews if the model supports previews and the draft sets no number. */
export function toSettings(
  settings: PresetTemplate,
  capabilities: Capabilities | undefined,
): PresetTemplate {
  const previews = Math.min(PREVIEWS, capabilities?.partial_images.max ?? 0);
  const isNamed = typeof settings.parameters?.partial_images === 'number';
  if (isNamed || previews === 0) return settings;
  return { ...settings, parameters: { ...settings.parameters, partial_images: previews } };
}

/** The limit for the total length of `prompt` and `negative_prompt`, in UTF-8 bytes. */
const MAX_BYTES = 12_288;

/** Returns the number of UTF-8 bytes by which the prompts exceed the limit of the bridge. */
export function bytesOver(settings: {
  readonly prompt?: string | null;
  readonly negative_prompt?: string | null;
}): number {
  const { prompt, negative_prompt: negative } = settings;
  // A UTF-16 code unit has at most three bytes in UTF-8, so a short prompt need not be encoded.
  const length = (prompt?.length ?? 0) + (negative?.length ?? 0);
  if (length * 3 <= MAX_BYTES) return 0;
  return new TextEncoder().encode(`${prompt ?? ''}${negative ?? ''}`).length - MAX_BYTES;
}
