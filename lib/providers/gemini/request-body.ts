import type { StreamedBody } from '../../net/http-client.ts';
import { sentImages, toPromptText } from '../backend/sent-images.ts';
import type { JsonBodies } from '../http/json-body.ts';
import type { ProviderRequest } from '../provider-port.ts';
import { type ImageShape, listedRatio, shapeOf } from './capabilities.ts';

/**
 * Returns the body of one call (Gemini API, `models.generateContent`). Members that the request leaves to the model are
 * omitted.
 */
export function toRequestBody(request: ProviderRequest, toJsonBody: JsonBodies): StreamedBody {
  const imageConfig = toImageConfig(toShape(request.parameters));
  return toJsonBody((base64Of) => ({
    contents: [
      {
        role: 'user',
        parts: [
          { text: toPromptText(request) },
          ...sentImages(request).map(({ bytes, mediaType }) => ({
            inlineData: { mimeType: mediaType, data: base64Of(bytes) },
          })),
        ],
      },
    ],
    generationConfig: { responseModalities: ['IMAGE'], ...(imageConfig ? { imageConfig } : {}) },
  }));
}

function toShape(parameters: ProviderRequest['parameters']): ImageShape {
  const { size, aspect_ratio: ratio, resolution } = parameters;
  const aspectRatio = ratio === null ? undefined : listedRatio(ratio);
  return {
    ...shapeOf(size),
    ...(aspectRatio === undefined ? {} : { aspectRatio }),
    ...(resolution === null ? {} : { resolution }),
  };
}

function toImageConfig({ aspectRatio, resolution }: ImageShape) {
  if (aspectRatio === undefined && resolution === undefined) return undefined;
  return {
    ...(aspectRatio === undefined ? {} : { aspectRatio }),
    ...(resolution === undefined ? {} : { imageSize: resolution.toUpperCase() }),
  };
}
