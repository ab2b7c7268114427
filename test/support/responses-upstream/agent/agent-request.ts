import * as v from 'valibot';

const Part = v.looseObject({ type: v.string(), text: v.optional(v.string()) });

const Item = v.looseObject({
  type: v.string(),
  role: v.optional(v.string()),
  content: v.optional(v.nullable(v.array(Part))),
});

/** The members of a model call of the agent that the emulator reads. The agent sends many more, and they differ by version. */
const AgentRequest = v.looseObject({
  model: v.string(),
  input: v.array(Item),
  tools: v.array(v.looseObject({ type: v.string(), name: v.optional(v.string()) })),
});
type AgentRequest = v.InferOutput<typeof AgentRequest>;

/** The facts about one model call. */
export interface AgentTurn {
  /** Text of the newest message of the user. */
  readonly prompt: string;
  /** Files in this message. */
  readonly imagePaths: readonly string[];
  /** True if the image tool was called since this message. */
  readonly hasToolOutput: boolean;
  /** True if an earlier turn of the thread generated an image. */
  readonly hasEarlierImage: boolean;
}

const IMAGE_PATH = /<image [^>]*path="([^"]*)"/g;

/** Returns the turn of a body of `POST …/responses`, or undefined for a body from a direct client. */
export function toAgentTurn(body: Buffer): AgentTurn | undefined {
  const parsed = v.safeParse(AgentRequest, parseJson(body));
  if (!parsed.success || !parsed.output.tools.some(isImageTool)) return undefined;
  const { input } = parsed.output;
  const newest = input.findLastIndex(({ type, role }) => type === 'message' && role === 'user');
  const texts = (input[newest]?.content ?? []).map(({ text }) => text ?? '');
  return {
    prompt: texts.filter((text) => !/^<\/?image\b/.test(text)).join('\n'),
    imagePaths: texts.flatMap((text) =>
      [...text.matchAll(IMAGE_PATH)].map(([, path]) => path ?? ''),
    ),
    hasToolOutput: input.slice(newest).some(isToolOutput),
    hasEarlierImage: input.slice(0, newest).some(hasImage),
  };
}

function isImageTool({ type, name }: AgentRequest['tools'][number]): boolean {
  return type === 'namespace' && name === 'image_gen';
}

function isToolOutput({ type }: AgentRequest['input'][number]): boolean {
  return type === 'function_call_output';
}

/** The output of a failed or interrupted call is a text. */
function hasImage(item: AgentRequest['input'][number]): boolean {
  return isToolOutput(item) && JSON.stringify(item).includes('data:image/');
}

function parseJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString());
  } catch {
    return undefined;
  }
}
