import type { StreamedBody } from '../../net/http-client.ts';
import { sentImages, toPromptText } from '../backend/sent-images.ts';
import type { Base64Marker, JsonBodies } from '../http/json-body.ts';
import type { ProviderInput, ProviderRequest } from '../provider-port.ts';

const INSTRUCTIONS =
  'Make exactly one image with the image generation tool, from the description and the images given. Answer with nothing else.';

/**
 * Returns the body of one call. Parameters with the value `auto` are omitted. `responsesModel` is the model that calls
 * the image model.
 */
export function toRequestBody(
  request: ProviderRequest,
  responsesModel: string,
  toJsonBody: JsonBodies,
): StreamedBody {
  return toJsonBody((base64Of) => ({
    model: responsesModel,
    instructions: INSTRUCTIONS,
    input: [{ type: 'message', role: 'user', content: toContent(request, base64Of) }],
    tools: [toTool(request)],
    tool_choice: { type: 'image_generation' },
    stream: true,
    store: false,
  }));
}

function toContent(request: ProviderRequest, base64Of: Base64Marker) {
  return [
    { type: 'input_text', text: toPromptText(request) },
    ...sentImages(request).map((input) => ({
      type: 'input_image',
      image_url: toDataUrl(input, base64Of),
      detail: 'auto',
    })),
  ];
}

function toDataUrl({ bytes, mediaType }: ProviderInput, base64Of: Base64Marker): string {
  return `data:${mediaType};base64,${base64Of(bytes)}`;
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
