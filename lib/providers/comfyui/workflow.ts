import { resolve } from 'node:path';
import * as v from 'valibot';
import type { Config } from '../../config/settings/settings.ts';
import { BridgeError } from '../../errors/bridge-error.ts';
import { readRegularFile } from '../../platform/regular-file.ts';

const Node = v.looseObject({
  class_type: v.string(),
  inputs: v.record(v.string(), v.unknown()),
});

/** A workflow in ComfyUI's API format: nodes by id. */
const Workflow = v.record(v.string(), Node);
export type Workflow = v.InferOutput<typeof Workflow>;

/** The settings of a workflow, with the locations of its inputs, each as `node.input`. */
export type WorkflowSettings = Config['providers']['comfyui'][string]['workflows'][string];

/** The value of one bound input. */
export interface BoundValue {
  readonly binding: string;
  readonly value: string | number;
}

/** Parses a workflow. Throws `configuration` if the text is not a workflow or lacks a bound node or input. */
function parseWorkflow(text: string, bindings: WorkflowSettings): Workflow {
  const parsed = v.safeParse(Workflow, parseJson(text));
  if (!parsed.success) throw unusable('is not in the API format of ComfyUI');
  const workflow = parsed.output;
  if (!Object.hasOwn(workflow, bindings.output))
    throw unusable('does not have the node in `output`');
  for (const [name, bound] of boundInputs(bindings)) {
    const { node, input } = parseBinding(bound);
    const inputs = Object.hasOwn(workflow, node) ? workflow[node]?.inputs : undefined;
    if (!inputs || !Object.hasOwn(inputs, input))
      throw unusable(`does not have the input in \`${name}\``);
  }
  return workflow;
}

/** Returns a copy of the workflow with these values. */
export function withValues(workflow: Workflow, values: readonly BoundValue[]): Workflow {
  const nodes = new Map(Object.entries(workflow));
  for (const { binding, value } of values) {
    const { node: id, input } = parseBinding(binding);
    const node = nodes.get(id);
    if (node) nodes.set(id, { ...node, inputs: { ...node.inputs, [input]: value } });
  }
  return Object.fromEntries(nodes);
}

/** Returns the binding of another input of the same node, or undefined if the node does not have that input. */
export function siblingBinding(
  workflow: Workflow,
  binding: string,
  input: string,
): string | undefined {
  const { node } = parseBinding(binding);
  const inputs = workflow[node]?.inputs ?? {};
  return Object.hasOwn(inputs, input) ? `${node}.${input}` : undefined;
}

/** Returns every bound input with the name of its setting. */
function boundInputs(
  bindings: WorkflowSettings,
): readonly (readonly [name: string, bound: string])[] {
  const names = ['prompt', 'negative_prompt', 'seed', 'width', 'height', 'images', 'mask'] as const;
  return names.flatMap((name) =>
    [bindings[name] ?? []].flat().map((bound) => [name, bound] as const),
  );
}

/** Splits a binding at its first dot. A node id contains no dot; an input name may contain dots. */
function parseBinding(binding: string): { readonly node: string; readonly input: string } {
  const dot = binding.indexOf('.');
  return { node: binding.slice(0, dot), input: binding.slice(dot + 1) };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw unusable('is not JSON');
  }
}

// Enough for a thousand nodes. The server's history repeats the workflow and is read up to twice this number of bytes.
const MAX_BYTES = 1_048_576;

/**
 * Reads the current workflow file of a model. Throws `configuration` if the workflow is unusable. The message does not
 * contain the path.
 */
export async function readWorkflow(settings: WorkflowSettings): Promise<Workflow> {
  return parseWorkflow(await readText(settings.file), settings);
}

async function readText(path: string): Promise<string> {
  const found = await readRegularFile(resolve(path), { maxBytes: MAX_BYTES });
  if ('bytes' in found) return found.bytes.toString('utf8');
  if (found.problem === 'irregular') throw unusable('is not a regular file');
  if (found.problem === 'too_large') throw unusable('is larger than 1 MiB');
  throw unusable('cannot be read', found.cause);
}

function unusable(what: string, cause?: unknown): BridgeError {
  return new BridgeError('configuration', `the workflow of the model ${what}`, { cause });
}
