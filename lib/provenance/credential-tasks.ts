import type { OutputFormat } from '../contract/request/parameters.ts';
import type { SigningKey } from './cose-signature.ts';
import type { CredentialReport } from './manifest-report.ts';

/** An encoded image that is sent to the credential thread. */
export interface TaskImage {
  readonly bytes: Uint8Array;
  readonly format: OutputFormat;
}

/** An image from which the signed image was made. `json` has the other fields of an ingredient of the library. */
export interface TaskIngredient {
  readonly json: string;
  /** The image with its manifest. Undefined if it has none, because then no part of the image may enter the new manifest. */
  readonly image: TaskImage | undefined;
}

/** Work of the credential thread. */
export type CredentialTask =
  | { readonly kind: 'validate'; readonly image: TaskImage }
  | {
      readonly kind: 'sign';
      readonly image: TaskImage;
      /** The definition of the new manifest, without its ingredients, as JSON of the library. */
      readonly definition: string;
      readonly ingredients: readonly TaskIngredient[];
      readonly key: SigningKey;
    };

/** Result of a task, by the kind of the task. */
export interface TaskResults {
  readonly validate: CredentialReport;
  /** The signed image. Undefined if the library refuses to sign. */
  readonly sign: Uint8Array | undefined;
}

/** The first message of the thread, when the library is loaded, and the message after each task. */
export type ThreadMessage =
  | { readonly kind: 'loaded' }
  | {
      readonly kind: 'ended';
      readonly result: TaskResults[keyof TaskResults];
      /** Size of the memory of the library, which never shrinks. */
      readonly memoryBytes: number;
    }
  /** The library is in an unknown state. */
  | { readonly kind: 'trapped' };

/** The data with which the thread starts. */
export interface ThreadData {
  /** PEM of the certificates that make a signer trusted. */
  readonly trustAnchors: string | undefined;
}
