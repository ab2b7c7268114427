import type {
  Response,
  ResponseImageGenCallPartialImageEvent,
  ResponseOutputItem,
  ResponseStreamEvent,
  ResponseUsage,
} from 'openai/resources/responses/responses';

/** The backend has more codes and members than are published. */
export interface WireError {
  readonly code: string | null;
  readonly message: string;
  readonly type?: string;
  readonly param?: string | null;
  readonly resets_in_seconds?: number;
  readonly moderation_stage?: string;
  readonly moderation_categories?: readonly string[];
}

interface TokenCounts {
  readonly input_tokens: number;
  readonly input_tokens_details: { readonly image_tokens: number; readonly text_tokens: number };
  readonly output_tokens: number;
  readonly output_tokens_details: { readonly image_tokens: number; readonly text_tokens: number };
  readonly total_tokens: number;
}

/** The published response as sent. `output_text` is an addition of the client library. */
export type WireResponse = Omit<
  Response,
  'access_programs' | 'output_text' | 'error' | 'usage' | 'tool_usage'
> & {
  readonly error: WireError | null;
  readonly usage: ResponseUsage | null;
  readonly tool_usage?: { readonly image_gen: TokenCounts };
};

type OnTheWire<Event> = Event extends { response: Response }
  ? Omit<Event, 'response'> & { response: WireResponse }
  : Event;

type Unnumbered<Event> = Event extends unknown ? Omit<Event, 'sequence_number'> : never;

/** All published events. The stream numbers them. */
export type WireEvent = Unnumbered<OnTheWire<ResponseStreamEvent>>;

export type ImageCallItem = ResponseOutputItem.ImageGenerationCall;

/** Members of an image that the backend sends in the finished item and in each partial image. */
export interface ImageNotes {
  readonly action?: 'generate' | 'edit';
  readonly background?: 'transparent' | 'opaque';
  readonly output_format?: 'png' | 'webp' | 'jpeg';
  readonly quality?: 'low' | 'medium' | 'high';
  readonly size?: string;
}

export type PartialImageEvent = Omit<ResponseImageGenCallPartialImageEvent, 'sequence_number'> &
  ImageNotes;

/** Events without a published type. A client must ignore them, except for the nested error. */
export type UnpublishedEvent =
  | { readonly type: 'codex.rate_limits'; readonly rate_limits: Readonly<Record<string, unknown>> }
  | { readonly type: 'keepalive' }
  | { readonly type: 'error'; readonly error: WireError };
