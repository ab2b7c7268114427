import type * as v from 'valibot';
import type { ImageEngine } from '../images/image.ts';
import type { Clock } from '../platform/clock.ts';
import type { BridgeApi } from './bridge-api.ts';

/** What a tool works with, for one call. */
export interface ToolContext {
  readonly api: BridgeApi;
  readonly clock: Pick<Clock, 'after' | 'monotonicMs'>;
  /** Aborts when the client cancels the call, and when the connection ends. */
  readonly signal: AbortSignal;
  /** Whether jobs continue although their call has aborted. They do not by default. */
  readonly keepsJobs?: () => boolean;
  /** Says how far the work is, in words. Does nothing where the client has not asked for it. */
  readonly progress: (message: string) => void;
  /**
   * Reads a file of the client's machine by its path below the working directory; absent where the client is elsewhere.
   * Throws `ApiFailure`.
   */
  readonly readFile?: (path: string) => Promise<Buffer>;
  /** What previews are made with; loaded with the first of them. */
  readonly images: () => Promise<Pick<ImageEngine, 'inspect' | 'convert'>>;
}

/** A part of a tool's result (Model Context Protocol, ContentBlock). */
export type Content =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image'; readonly data: string; readonly mimeType: string }
  | {
      readonly type: 'resource_link';
      readonly uri: string;
      readonly name: string;
      readonly mimeType: string;
      readonly size?: number;
    };

/** A type, not an interface: the protocol's library takes only what has an index signature. */
export type ToolResult = {
  readonly content: Content[];
  readonly isError?: boolean;
};

/** A tool as its file declares it. */
export interface Tool {
  readonly name: string;
  readonly title: string;
  /** For the model that chooses among tools; with an example. */
  readonly description: string;
  readonly input: v.GenericSchema;
  /** Whether it changes nothing. */
  readonly isReadOnly: boolean;
  run(input: unknown, context: ToolContext): Promise<ToolResult>;
}

interface Declaration<S extends v.GenericSchema> extends Omit<Tool, 'run' | 'input'> {
  readonly input: S;
  run(input: v.InferOutput<S>, context: ToolContext): Promise<ToolResult>;
}

/** A tool whose input has passed its schema when it runs. */
export function tool<const S extends v.GenericSchema>(declaration: Declaration<S>): Tool {
  return {
    ...declaration,
    run: (input, context) => declaration.run(input as v.InferOutput<S>, context),
  };
}

export function textResult(...lines: readonly string[]): ToolResult {
  return { content: [{ type: 'text', text: lines.join('\n') }] };
}
