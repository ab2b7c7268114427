import type { Config } from '../../config/settings/settings.ts';
import type { OutputFormat } from '../../contract/request/parameters.ts';
import type { MaskForm } from '../provider-port.ts';

/** One account or server, as the operator configures it. */
export type ImagesSettings = Config['providers']['openai_images'][string];

/** What a call may say beside its model, its prompt and its images. */
export type CallField =
  | 'size'
  | 'quality'
  | 'output_format'
  | 'output_compression'
  | 'background'
  | 'moderation'
  | 'input_fidelity'
  | 'partial_images'
  | 'stream'
  | 'n'
  | 'seed'
  | 'negative_prompt'
  | 'response_format';

/** How one server differs from the others (more-providers.md 2 and 3). */
export interface Dialect {
  readonly displayName: string;
  /** The only fields that are sent: an unknown one is refused by some servers and ignored by others. */
  readonly fields: readonly CallField[];
  readonly models: 'openai' | 'local';
  /** Those that can be asked for; else the one that it always gives. */
  readonly formats: readonly OutputFormat[];
  readonly keyHeader: 'authorization' | 'api-key';
  /** `form` and `json` say how images are sent; `profile`: as a form, if the profile of the model has `edits`. */
  readonly edits: 'form' | 'json' | 'profile';
  /** Images in other formats are ignored or refused. `rgb-png`: so are grey ones, and alpha has no meaning. */
  readonly reads?: 'png' | 'rgb-png';
  /** A call without a size is drawn in 512x512, to which its source is stretched. */
  readonly needsSizeOfSource?: true;
  /** How many sources one call takes; absent where it takes as many as other images. */
  readonly maxSources?: number;
  /** Absent where no mask is read. */
  readonly mask?: { readonly name: string; readonly form: MaskForm };
  /** How what has no field of its own gets into the prompt. */
  readonly prompt?: {
    /** It has a meaning of its own, so that a prompt cannot contain it. */
    readonly reserved: string;
    /** A parser of the server reads the negative prompt, and longer texts exhaust its stack. */
    readonly maxNegativeCharacters: number;
    readonly write: (prompt: string, extras: PromptExtras) => string;
  };
  /** An echo of the prompt is none. */
  readonly revisesPrompts: boolean;
  /** One graphics card makes one image after the other. */
  readonly oneAtATime?: true;
  /** A 500 may be a connection that it lost to another server, which may have done the work. */
  readonly hides500?: true;
  /** Names of errors that are only in the message (LiteLLM's `exceptions.py`). */
  readonly namesInMessage?: readonly string[];
  /** A 404 in the form of its errors does not name a code. It means the model, unless the base URL is wrong. */
  readonly hasNameless404?: true;
}

interface PromptExtras {
  readonly seed: number;
  readonly negativePrompt: string | undefined;
}

/** stable-diffusion.cpp, which LocalAI contains, searches prompts with `std::regex`, which recurses for each character. */
const MAX_NEGATIVE_CHARACTERS = 2000;

const ALL_FORMATS: readonly OutputFormat[] = ['png', 'jpeg', 'webp'];

const OPENAI: Dialect = {
  displayName: 'OpenAI Images',
  fields: [
    'n',
    'size',
    'quality',
    'output_format',
    'output_compression',
    'background',
    'moderation',
    'input_fidelity',
    'partial_images',
    'stream',
  ],
  models: 'openai',
  formats: ALL_FORMATS,
  keyHeader: 'authorization',
  edits: 'form',
  mask: { name: 'mask', form: 'alpha' },
  revisesPrompts: true,
};

/** LiteLLM's proxy fails when it streams an image, after the model was paid for it (its `image_endpoints`). */
const NOT_OF_LITELLM: readonly CallField[] = ['stream', 'partial_images'];

const LITELLM: Dialect = {
  ...OPENAI,
  displayName: 'LiteLLM',
  fields: OPENAI.fields.filter((field) => !NOT_OF_LITELLM.includes(field)),
  hides500: true,
  namesInMessage: ['ContentPolicyViolationError'],
  hasNameless404: true,
};

const VLLM_OMNI: Dialect = {
  displayName: 'vLLM-Omni',
  fields: ['size', 'seed', 'negative_prompt', 'response_format', 'output_format'],
  models: 'local',
  formats: ALL_FORMATS,
  keyHeader: 'authorization',
  edits: 'form',
  mask: { name: 'mask_image', form: 'white' },
  revisesPrompts: false,
  oneAtATime: true,
  hasNameless404: true,
};

const { mask: _, ...LIKE_VLLM_OMNI } = VLLM_OMNI;

export const DIALECTS: Readonly<Record<ImagesSettings['dialect'], Dialect>> = {
  openai: OPENAI,
  azure: { ...OPENAI, displayName: 'Azure OpenAI', keyHeader: 'api-key' },
  litellm: LITELLM,
  localai: {
    displayName: 'LocalAI',
    fields: ['size', 'seed', 'response_format'],
    models: 'local',
    formats: ['png'],
    keyHeader: 'authorization',
    edits: 'json',
    reads: 'rgb-png',
    needsSizeOfSource: true,
    maxSources: 1,
    prompt: {
      reserved: '|',
      maxNegativeCharacters: MAX_NEGATIVE_CHARACTERS,
      write: (prompt, { negativePrompt }) =>
        negativePrompt === undefined ? prompt : `${prompt}|${negativePrompt}`,
    },
    revisesPrompts: false,
    oneAtATime: true,
    hasNameless404: true,
  },
  sdcpp: {
    displayName: 'stable-diffusion.cpp',
    fields: ['size', 'output_format'],
    models: 'local',
    // Its edits write no WebP.
    formats: ['png', 'jpeg'],
    keyHeader: 'authorization',
    edits: 'form',
    reads: 'png',
    mask: { name: 'mask', form: 'white' },
    prompt: {
      reserved: '<sd_cpp_extra_args>',
      maxNegativeCharacters: MAX_NEGATIVE_CHARACTERS,
      write: withExtraArguments,
    },
    revisesPrompts: false,
    oneAtATime: true,
    hasNameless404: true,
  },
  'vllm-omni': VLLM_OMNI,
  sglang: { ...LIKE_VLLM_OMNI, displayName: 'SGLang' },
  generic: {
    displayName: 'OpenAI-compatible server',
    fields: ['size', 'response_format'],
    models: 'local',
    formats: ['png'],
    keyHeader: 'authorization',
    edits: 'profile',
    mask: { name: 'mask', form: 'alpha' },
    revisesPrompts: true,
    hides500: true,
    hasNameless404: true,
  },
};

/** Its seed is 42 otherwise, for every call. */
function withExtraArguments(prompt: string, { seed, negativePrompt }: PromptExtras): string {
  const json = JSON.stringify({ seed, negative_prompt: negativePrompt });
  // So that no text ends the element.
  return `${prompt}<sd_cpp_extra_args>${json.replaceAll('<', '\\u003c')}</sd_cpp_extra_args>`;
}
