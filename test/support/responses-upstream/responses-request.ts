import * as v from 'valibot';

const InputText = v.strictObject({
  type: v.literal('input_text'),
  text: v.pipe(v.string(), v.nonEmpty()),
});

const InputImage = v.strictObject({
  type: v.literal('input_image'),
  image_url: v.string(),
  detail: v.literal('auto'),
});

const Message = v.strictObject({
  type: v.literal('message'),
  role: v.literal('user'),
  content: v.pipe(
    v.array(v.variant('type', [InputText, InputImage])),
    v.minLength(1),
    v.check(
      ([first, ...others]) => first?.type === 'input_text' && others.every(isImage),
      'one text, then images',
    ),
  ),
});

/** `auto` is not a value here. If the backend is to choose, the member is absent. */
const ImageTool = v.strictObject({
  type: v.literal('image_generation'),
  model: v.string(),
  size: v.exactOptional(v.pipe(v.string(), v.regex(/^\d+x\d+$/))),
  output_format: v.picklist(['png', 'jpeg', 'webp']),
  quality: v.exactOptional(v.picklist(['low', 'medium', 'high'])),
  background: v.exactOptional(v.picklist(['opaque', 'transparent'])),
  moderation: v.exactOptional(v.literal('low')),
  action: v.exactOptional(v.picklist(['generate', 'edit'])),
  output_compression: v.exactOptional(integer(0, 100)),
  partial_images: v.exactOptional(integer(0, 3)),
  input_fidelity: v.exactOptional(v.picklist(['low', 'high'])),
});

/** A request with exactly the members that a direct client sends. */
export const ResponsesRequest = v.strictObject({
  model: v.string(),
  instructions: v.pipe(v.string(), v.nonEmpty(), v.maxLength(4000)),
  input: v.pipe(v.array(Message), v.length(1)),
  tools: v.pipe(v.array(ImageTool), v.length(1)),
  tool_choice: v.strictObject({ type: v.literal('image_generation') }),
  stream: v.literal(true),
  store: v.literal(false),
});
export type ResponsesRequest = v.InferOutput<typeof ResponsesRequest>;
export type ImageTool = v.InferOutput<typeof ImageTool>;

/** The only tool of a checked request. */
export function toolOf({ tools: [tool] }: ResponsesRequest): ImageTool {
  if (!tool) throw new Error('a checked request has one tool');
  return tool;
}

/** Returns the text of the message. */
export function textOf({ input }: ResponsesRequest): string {
  return input
    .flatMap(({ content }) => content)
    .map((part) => (part.type === 'input_text' ? part.text : ''))
    .join('\n');
}

/** Returns the data URLs of the message, in order. */
export function imageUrlsOf({ input }: ResponsesRequest): string[] {
  return input
    .flatMap(({ content }) => content)
    .flatMap((part) => (part.type === 'input_image' ? [part.image_url] : []));
}

function isImage({ type }: { readonly type: string }): boolean {
  return type === 'input_image';
}

function integer(minimum: number, maximum: number) {
  return v.pipe(v.number(), v.integer(), v.minValue(minimum), v.maxValue(maximum));
}
