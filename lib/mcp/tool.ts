import type * as v from 'valibot';
import { closedObject } from '../contract/schema/closed-object.ts';
import { listedIssues, toRequestIssues } from '../contract/schema/issues.ts';
import { parseWithLimits } from '../contract/schema/request-limits.ts';
import type { ImageEngine } from '../images/image.ts';
import type { Clock } from '../platform/clock.ts';
import { ApiFailure, type BridgeApi } from './bridge-api.ts';

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
  /** What the text says, for programs. */
  readonly structuredContent?: Readonly<Record<string, unknown>>;
};

type Arguments = v.StrictObjectSchema<v.ObjectEntries, undefined>;

/** A tool as its file declares it. */
export interface Tool {
  readonly name: string;
  readonly title: string;
  /** For the model that chooses among tools; with an example. */
  readonly description: string;
  readonly input: Arguments;
  /** Whether it changes nothing. */
  readonly isReadOnly: boolean;
  /** Throws `ApiFailure`, also for arguments that do not follow the schema. */
  run(input: unknown, context: ToolContext): Promise<ToolResult>;
}

interface Declaration<S extends Arguments> extends Omit<Tool, 'run' | 'input'> {
  readonly input: S;
  run(input: v.InferOutput<S>, context: ToolContext): Promise<ToolResult>;
}

/** A tool that runs once its arguments have passed its schema. As in a request, null means that one is left out. */
export function tool<const S extends Arguments>(declaration: Declaration<S>): Tool {
  const schema = closedObject(declaration.input.entries);
  return {
    ...declaration,
    async run(input, context) {
      const { typed, value, issues } = parseWithLimits(schema, input);
      if (!typed || issues) throw wrongArguments(issues ?? []);
      // A closed object of the same entries gives the same type.
      return declaration.run(value as v.InferOutput<S>, context);
    },
  };
}

function wrongArguments(found: readonly v.BaseIssue<unknown>[]): ApiFailure {
  const issues = listedIssues(toRequestIssues(found));
  const lines = issues.map(({ field, message }) => `${field} ${message}`);
  const text = ['the arguments are not valid', ...lines].join('\n  ');
  return new ApiFailure('invalid_request', text, ['Correct them as the tool describes.'], issues);
}

export function textResult(...lines: readonly string[]): ToolResult {
  return { content: [{ type: 'text', text: lines.join('\n') }] };
}
