/** An image that a request contains, as its bytes say. */
export interface SentImage {
  readonly bytes: Buffer;
  readonly format: string;
  readonly width: number;
  readonly height: number;
  readonly channels: number;
  readonly hasAlpha: boolean;
}

/** A request that the emulated server accepts, in one form for all dialects. */
export interface ImageCall {
  readonly operation: 'generate' | 'edit';
  /** As it was sent; of Azure, the deployment. */
  readonly model: string | undefined;
  /** What the server draws: without what the dialect hides in the prompt. */
  readonly prompt: string;
  readonly negativePrompt?: string | undefined;
  /** Equal seeds make equal images; without one, every image of a prompt is another. */
  readonly seed?: number | undefined;
  readonly n: number;
  readonly width: number;
  readonly height: number;
  readonly format: 'png' | 'jpeg' | 'webp';
  readonly compression?: number | undefined;
  readonly background: 'transparent' | 'opaque';
  readonly quality: string;
  readonly isStream: boolean;
  readonly partialImages: number;
  readonly responseFormat: 'b64_json' | 'url';
  readonly images: readonly SentImage[];
  readonly mask?: SentImage | undefined;
  /** Every field as it was sent, for a test to look at; files are not among them. */
  readonly fields: Readonly<Record<string, unknown>>;
}
