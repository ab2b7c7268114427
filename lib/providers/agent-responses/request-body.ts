import type { Ids } from '../../platform/ids.ts';
import type { ProviderInput, ProviderRequest } from '../provider-port.ts';

interface Deps {
  /** The model that answers, and hands the work to the image model. */
  readonly responsesModel: string;
  readonly ids: Pick<Ids, 'newOpaqueId'>;
}

const INSTRUCTIONS =
  'Make exactly one image with the image generation tool, from the description and the images given. Answer with nothing else.';

/**
 * Writes calls in the backend's form (providers.md, "Body"), in pieces: images of many megabytes are encoded once and
 * never joined. A value of `auto` is left out.
 */
export function createRequestBody({ responsesModel, ids }: Deps) {
  // The calls of one fan-out send the same images; they are the same buffers, and encoded once.
  const encoded = new WeakMap<Buffer, Buffer>();

  function toBase64({ bytes }: ProviderInput): Buffer {
    const known = encoded.get(bytes);
    if (known) return known;
    const made = Buffer.from(bytes.toString('base64'), 'latin1');
    encoded.set(bytes, made);
    return made;
  }

  return (request: ProviderRequest): readonly Buffer[] => {
    // It stands for the images until the JSON is written, and nobody can know it before.
    const marker = ids.newOpaqueId();
    const inputs = [...request.images, ...request.references];
    const json = JSON.stringify({
      model: responsesModel,
      instructions: INSTRUCTIONS,
      input: [{ type: 'message', role: 'user', content: toContent(request, inputs, marker) }],
      tools: [toTool(request)],
      tool_choice: { type: 'image_generation' },
      stream: true,
      store: false,
    });
    const texts = json.split(marker).map((text) => Buffer.from(text, 'utf8'));
    return texts.flatMap((text, place) => {
      const input = inputs[place];
      return input ? [text, toBase64(input)] : [text];
    });
  };
}

function toContent(request: ProviderRequest, inputs: readonly ProviderInput[], marker: string) {
  return [
    { type: 'input_text', text: toText(request) },
    ...inputs.map(({ mediaType }) => ({
      type: 'input_image',
      image_url: `data:${mediaType};base64,${marker}`,
      detail: 'auto',
    })),
  ];
}

/** The prompt, which image is which (sources come before references), and the ground that is to be cut out. */
function toText({ prompt, images, references, keyColor }: ProviderRequest): string {
  const sources = images.length;
  const notes = [
    ...(sources > 0 ? [`${numbered(1, sources)} to be edited.`] : []),
    ...(references.length > 0
      ? [`${numbered(sources + 1, sources + references.length)} for reference only.`]
      : []),
    ...(keyColor === undefined
      ? []
      : [
          `Everything around the subject is one flat colour, exactly ${keyColor}, without shadows, gradients, texture or reflections; nothing of the subject has that colour.`,
        ]),
  ];
  return notes.length > 0 ? `${prompt}\n\n${notes.join(' ')}` : prompt;
}

function numbered(first: number, last: number): string {
  return first === last ? `Image ${first} is` : `Images ${first} to ${last} are`;
}

function toTool({ model, parameters }: ProviderRequest): Readonly<Record<string, unknown>> {
  const { size, quality, background, moderation, action } = parameters;
  const optional = Object.entries({ size, quality, background, moderation, action }).filter(
    ([, value]) => value !== 'auto',
  );
  const { output_compression, partial_images, input_fidelity } = parameters;
  return {
    type: 'image_generation',
    model,
    output_format: parameters.output_format,
    ...Object.fromEntries(optional),
    ...(output_compression === null ? {} : { output_compression }),
    ...(partial_images === 0 ? {} : { partial_images }),
    ...(input_fidelity === null ? {} : { input_fidelity }),
  };
}
