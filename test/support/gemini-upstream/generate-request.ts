import * as v from 'valibot';

/** The members that a strict backend knows here. It rejects any other member. */
const Part = v.union([
  v.strictObject({ text: v.pipe(v.string(), v.minLength(1)) }),
  v.strictObject({ inlineData: v.strictObject({ mimeType: v.string(), data: v.string() }) }),
]);

export const GenerateRequest = v.strictObject({
  contents: v.pipe(
    v.array(
      v.strictObject({
        role: v.literal('user'),
        parts: v.pipe(v.array(Part), v.minLength(1)),
      }),
    ),
    v.length(1),
  ),
  generationConfig: v.strictObject({
    responseModalities: v.tuple([v.literal('IMAGE')]),
    imageConfig: v.optional(
      v.strictObject({
        aspectRatio: v.optional(v.string()),
        imageSize: v.optional(v.string()),
      }),
    ),
  }),
});
export type GenerateRequest = v.InferOutput<typeof GenerateRequest>;

export function textOf({ contents }: GenerateRequest): string {
  return contents
    .flatMap(({ parts }) => parts)
    .flatMap((part) => ('text' in part ? [part.text] : []))
    .join('\n');
}

/** Returns the images in the order of the request. */
export function inlineImagesOf({ contents }: GenerateRequest) {
  return contents
    .flatMap(({ parts }) => parts)
    .flatMap((part) => ('inlineData' in part ? [part.inlineData] : []));
}
