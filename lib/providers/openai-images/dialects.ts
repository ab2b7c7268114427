import type { Config } from '../../config/settings/settings.ts';
import type { OutputFormat } from '../../contract/request/parameters.ts';
import type { MaskForm } from '../provider-port.ts';

/** The settings of one account or server. */
export type ImagesSettings = Config['providers']['openai_images'][string];

/** Fields of a call other than its model, prompt and images. */
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

/** The properties in which one server differs from other servers. */
export interface Dialect {
  readonly displayName: string;
  /** The only fields that are sent. Some servers reject unknown fields and others ignore them. */
  readonly fields: readonly CallField[];
  readonly models: 'openai' | 'local';
  /** The formats that can be requested, or the single format that the server always returns. */
  readonly formats: readonly OutputFormat[];
  readonly keyHeader: 'authorization' | 'api-key';
  /** Encoding in which images are sent. `profile`: as a form, if the model's profile has `edits`. */
  readonly edits: 'form' | 'json' | 'profile';
  /**
   * Formats that the server reads. Images in other formats are ignored or rejected. `rgb-png` also excludes grey images
   * and ignores alpha.
   */
  readonly reads?: 'png' | 'rgb-png';
  /** True if the server draws 512x512 pixels for a call without a size, and stretches the source to this size. */
  readonly needsSizeOfSource?: true;
  /** Maximum number of sources in one call. If absent, sources have the same limit as all input images. */
  readonly maxSources?: number;
  /** The field and form of a mask. Absent if the server does not read masks. */
  readonly mask?: { readonly name: string; readonly form: MaskForm };
  /** Rules for values that have no field of their own and are written into the prompt. */
  readonly prompt?: {
    /** Text that the server interprets, which a prompt therefore cannot contain. */
    readonly reserved: string;
    /** Limit on the negative prompt, because longer texts exhaust the stack of the server's parser. */
    readonly maxNegativeCharacters: number;
    readonly write: (prompt: string, extras: PromptExtras) => string;
  };
  /** True if the server revises prompts. An unchanged copy of the prompt in the reply does not count. */
  readonly revisesPrompts: boolean;
  /** True if the server has one graphics card and makes one image after the other. */
  readonly oneAtATime?: true;
  /** True if a 500 may mean that the server lost a connection to another server, which may have generated the image. */
  readonly hides500?: true;
  /** Names of errors that appear only in the message (LiteLLM's `exceptions.py`). */
  readonly namesInMessage?: readonly string[];
  /** True if the server's own 404 errors have no code. Such a 404 means an unknown model or a wrong base URL. */
  readonly hasNameless404?: true;
}

interface PromptExtras {
  readonly seed: number;
  readonly negativePrompt: string | undefined;
}

/**
 * stable-diffusion.cpp, which LocalAI contains, searches prompts with `std::regex`, which recurses for each character.
 */
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

/**
 * LiteLLM's proxy fails when it streams an image, after the model has been charged (`image_endpoints` of the proxy).
 */
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
    // WebP is not supported for edits.
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

/** Appends the seed and the negative prompt. Without a seed the server would use 42 for every call. */
function withExtraArguments(prompt: string, { seed, negativePrompt }: PromptExtras): string {
  const json = JSON.stringify({ seed, negative_prompt: negativePrompt });
  // `<` is escaped so that no text can end the element.
  return `${prompt}<sd_cpp_extra_args>${json.replaceAll('<', '\\u003c')}</sd_cpp_extra_args>`;
}
