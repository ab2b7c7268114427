import type { Config } from '../../../config/settings/settings.ts';
import type { Amount } from '../../../contract/reply/cost.ts';
import type { OutputFormat } from '../../../contract/request/parameters.ts';
import type { FailureRow } from '../../backend/failures.ts';
import type { BillingSource } from '../../billing/billing.ts';
import type { MaskForm } from '../../provider-port.ts';
import type { Family } from './family.ts';

/** The settings of one account or server. */
export type ImagesSettings = Config['providers']['openai_images'][string];

/** Fields of a call other than its model, prompt and images. */
export type CallField =
  | 'size'
  | 'width'
  | 'height'
  | 'aspect_ratio'
  | 'resolution'
  | 'quality'
  | 'output_format'
  | 'output_compression'
  | 'background'
  | 'moderation'
  | 'input_fidelity'
  | 'complexity'
  | 'partial_images'
  | 'stream'
  | 'n'
  | 'seed'
  | 'negative_prompt'
  | 'response_format';

/** The operation that the path of a call names. */
export type Route = 'generations' | 'edits';

/** The properties in which one server differs from other servers. */
export interface Dialect {
  readonly displayName: string;
  /** The only fields that are sent. Some servers reject unknown fields and others ignore them. */
  readonly fields: readonly CallField[];
  /** True if the fields depend on the model. A field is then sent only if the model has more than one value for it. */
  readonly hasFieldsOfModel?: true;
  /** The family of models that no profile describes. */
  readonly defaultFamily: Family;
  /** The formats that can be requested, or the single format that the server always returns. */
  readonly formats: readonly OutputFormat[];
  readonly keyHeader: 'authorization' | 'api-key';
  /** Path of a call after the base URL. If absent, `/images/` and the route. */
  readonly pathOf?: (route: Route) => string;
  /** Encoding in which images are sent. `profile`: as a form, if the model's profile has `edits`. */
  readonly edits: 'form' | 'profile' | JsonImages;
  /**
   * Formats that the server reads. Images in other formats are ignored or rejected. `rgb-png` also excludes grey images
   * and ignores alpha.
   */
  readonly reads?: 'png' | 'rgb-png';
  /** True if the server draws 512x512 pixels for a call without a size, and stretches the source to this size. */
  readonly needsSizeOfSource?: true;
  /** Maximum number of all input images of one call. If absent, the limit of OpenAI's API applies. */
  readonly maxImages?: number;
  /** Maximum number of sources in one call. If absent, sources have the same limit as all input images. */
  readonly maxSources?: number;
  /** The field and form of a mask. Absent if the server does not read masks. */
  readonly mask?: { readonly name: string; readonly form: MaskForm };
  /** True if no edit can be limited to a mask, not even to a mask that is sent as another image. */
  readonly rejectsMasks?: true;
  /** Rules for values that have no request field and are written into the prompt. */
  readonly prompt?: {
    /** Text that the server interprets, which a prompt therefore cannot contain. */
    readonly reserved: string;
    /** Limit on the negative prompt, because longer texts exhaust the stack of the server's parser. */
    readonly maxNegativeCharacters: number;
    readonly write: (prompt: string, extras: PromptExtras) => string;
  };
  /** Name of a resolution. If absent, the name in the contract, such as `1k`. */
  readonly resolutionName?: (resolution: string) => string;
  /** Value of `response_format` that selects base64. If absent, `b64_json`. */
  readonly base64Format?: string;
  /** Returns the members that the settings add to every call. */
  readonly settingsMembers?: (settings: Pick<ImagesSettings, 'upstreams'>) => JsonObject;
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
  /**
   * Selects the failure for a reply that has this status and this JSON, before the rules that all servers share. The
   * JSON is undefined if the body is not JSON. A reply with status 2xx contains the error in place of an image.
   */
  readonly failureOf?: (status: number, json: unknown) => FailureRow | undefined;
  /** Selects the failure for a complete reply whose images must not be used. Returns undefined if the images may be used. */
  readonly rejectionOf?: (reply: unknown) => FailureRow | undefined;
  /** Returns the cost reported by a reply or by the last event of a stream, or undefined if no cost is reported. */
  readonly costOf?: (reply: unknown) => Amount | undefined;
  /** Returns the cost in the value of a header with this name, for a reply whose body has no cost. */
  readonly costHeader?: {
    readonly name: string;
    readonly costOf: (value: string) => Amount | undefined;
  };
  /** Name of the header that contains the id of the call in the invoices of the service. */
  readonly invoiceIdHeader?: string;
  /** The charges of the service, below its base URL. Absent if the service does not report them. */
  readonly billing?: BillingSource;
}

export type JsonObject = Readonly<Record<string, unknown>>;

/** Images that are sent as members of a JSON body. */
export interface JsonImages {
  /** The route of a call with images. */
  readonly route: Route;
  /** Returns the members for the images of a call. Each image may be encoded only once. */
  readonly members: (images: SentImages) => JsonObject;
}

/** The images of one call. Every text is a placeholder that is replaced when the body is sent. */
export interface SentImages {
  readonly model: string;
  readonly sources: readonly EncodableImage[];
  /** The mask image and the references. */
  readonly others: readonly EncodableImage[];
}

export interface EncodableImage {
  readonly base64: () => string;
  readonly dataUrl: () => string;
}

interface PromptExtras {
  readonly seed: number;
  readonly negativePrompt: string | undefined;
}

/**
 * The negative prompt is limited because stable-diffusion.cpp, which LocalAI contains, searches prompts with
 * `std::regex`, which recurses for each character.
 */
export const MAX_NEGATIVE_CHARACTERS = 2000;

export const ALL_FORMATS: readonly OutputFormat[] = ['png', 'jpeg', 'webp'];
