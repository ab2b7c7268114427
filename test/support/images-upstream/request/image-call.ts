/** The facts of an image in a request, read from its bytes. */
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
  /** Model as sent. For Azure, the deployment. */
  readonly model: string | undefined;
  /** Prompt that the server draws, without the arguments that the dialect hides in it. */
  readonly prompt: string;
  readonly negativePrompt?: string | undefined;
  /** Equal seeds give equal images. Without a seed, every image of a prompt is different. */
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
  /** Every field as sent, except files, for checks in a test. */
  readonly fields: Readonly<Record<string, unknown>>;
}
