import type * as v from 'valibot';
import { closedObject } from '../contract/schema/closed-object.ts';
import { listedIssues, toRequestIssues } from '../contract/schema/issues.ts';
import { parseWithLimits } from '../contract/schema/request-limits.ts';
import type { ImageEngine } from '../images/image.ts';
import type { Clock } from '../platform/clock.ts';
import { ApiFailure, type BridgeApi } from './bridge-api.ts';

/** The dependencies of a tool for one call. */
export interface ToolContext {
  readonly api: BridgeApi;
  readonly clock: Pick<Clock, 'after' | 'monotonicMs'>;
  /** Aborts when the client cancels the call or the connection ends. */
  readonly signal: AbortSignal;
  /** Returns true if jobs continue after their call aborts. If absent, the jobs are cancelled. */
  readonly keepsJobs?: () => boolean;
  /** Reports progress in words. Does nothing if the client did not request progress. */
  readonly progress: (message: string) => void;
  /**
   * Reads a file by its path below the working directory. Absent if the client runs on another machine. Throws `ApiFailure`
   * if the file cannot be read.
   */
  readonly readFile?: (path: string) => Promise<Buffer>;
  /** Resolves with the engine for previews. The engine is loaded for the first preview. */
  readonly images: () => Promise<Pick<ImageEngine, 'check' | 'convert'>>;
}

/** A part of the result of a tool (`ContentBlock` of the Model Context Protocol). */
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

/**
 * The result of a tool. Declared as a type rather than an interface because the protocol library requires an index
 * signature.
 */
export type ToolResult = {
  readonly content: Content[];
  readonly isError?: boolean;
  /** The content of the text as structured data for programs. */
  readonly structuredContent?: Readonly<Record<string, unknown>>;
};

type Arguments = v.StrictObjectSchema<v.ObjectEntries, undefined>;

export interface Tool {
  readonly name: string;
  readonly title: string;
  /** A description and an example for the model that chooses a tool. */
  readonly description: string;
  readonly input: Arguments;
  /** True if the tool changes nothing. */
  readonly isReadOnly: boolean;
  /** Runs the tool. Throws `ApiFailure` if the arguments do not match the schema or a request fails. */
  run(input: unknown, context: ToolContext): Promise<ToolResult>;
}

interface Declaration<S extends Arguments> extends Omit<Tool, 'run' | 'input'> {
  readonly input: S;
  run(input: v.InferOutput<S>, context: ToolContext): Promise<ToolResult>;
}

/** Creates a tool that checks its arguments before it runs. As in a request, a `null` argument counts as absent. */
export function tool<const S extends Arguments>(declaration: Declaration<S>): Tool {
  const schema = closedObject(declaration.input.entries);
  return {
    ...declaration,
    async run(input, context) {
      const { typed, value, issues } = parseWithLimits(schema, input);
      if (!typed || issues) throw wrongArguments(issues ?? []);
      // The cast is safe because a closed object of the same entries has the same output type.
      return declaration.run(value as v.InferOutput<S>, context);
    },
  };
}

function wrongArguments(found: readonly v.BaseIssue<unknown>[]): ApiFailure {
  const issues = listedIssues(toRequestIssues(found));
  const lines = issues.map(({ field, message }) => `${field} ${message}`);
  const text = ['invalid arguments', ...lines].join('\n  ');
  return new ApiFailure('invalid_request', text, ['Correct the arguments.'], issues);
}

export function textResult(...lines: readonly string[]): ToolResult {
  return { content: [{ type: 'text', text: lines.join('\n') }] };
}
