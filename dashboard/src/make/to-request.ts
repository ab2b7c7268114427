import type { Capabilities, ImageRequest, PresetTemplate } from '../api/schemas.ts';
import type { Attachment } from './draft.ts';

type Input = NonNullable<ImageRequest['images']>[number];

/** The request of a draft, with its images inside. A source makes it an edit. Throws FileMoved. */
export async function toRequest(
  settings: PresetTemplate,
  attachments: readonly Attachment[],
  mask: Blob | undefined,
): Promise<ImageRequest> {
  const sources = attachments.filter(({ role }) => role === 'source');
  const references = attachments.filter(({ role }) => role === 'reference');
  const [images, referenceImages, maskInput] = await Promise.all([
    Promise.all(sources.map(toInput)),
    Promise.all(references.map(toInput)),
    mask && toDataUrl(mask),
  ]);
  return {
    ...settings,
    prompt: settings.prompt ?? '',
    operation: sources.length > 0 ? 'edit' : 'generate',
    ...(images.length > 0 && { images }),
    ...(referenceImages.length > 0 && { reference_images: referenceImages }),
    ...(maskInput !== undefined && { mask: { type: 'data_url', data_url: maskInput } }),
  };
}

/** A file of this machine was moved or changed since it was added: the browser reads it no longer. */
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

/** The bridge shows the name and takes one safe path component: separators and control characters are replaced. */
function toFilename(name: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is replaced
  return name.replace(/[/\\\u0000-\u001f\u007f]/g, '_').slice(-128) || '_';
}

/** The browser encodes base64 off the main thread. */
export function toDataUrl(blob: Blob): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(blob);
  });
}

/** How many unfinished images the page asks for where the model sends them and the draft says nothing. */
const PREVIEWS = 2;

/**
 * What is sent of a draft's settings: with previews, which the gallery shows while the job runs, and without the blank
 * prompt that an unfinished draft has.
 */
export function toSettings(
  settings: PresetTemplate,
  capabilities: Capabilities | undefined,
): PresetTemplate {
  const previews = Math.min(PREVIEWS, capabilities?.partial_images.max ?? 0);
  const isNamed = typeof settings.parameters?.partial_images === 'number';
  if (isNamed || previews === 0) return settings;
  return { ...settings, parameters: { ...settings.parameters, partial_images: previews } };
}
