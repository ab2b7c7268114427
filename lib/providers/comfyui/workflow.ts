import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { resolve } from 'node:path';
import * as v from 'valibot';
import type { Config } from '../../config/settings/settings.ts';
import { BridgeError } from '../../errors/bridge-error.ts';
import { readBytes } from '../credentials/private-file.ts';

const Node = v.looseObject({
  class_type: v.string(),
  inputs: v.record(v.string(), v.unknown()),
});

/** An export of ComfyUI for its API: nodes by their ids. */
const Workflow = v.record(v.string(), Node);
export type Workflow = v.InferOutput<typeof Workflow>;

/** Where the inputs of a workflow are, each as `node.input`. */
export interface Bindings {
  readonly output: string;
  readonly prompt: string;
  readonly negative_prompt?: string | undefined;
  readonly seed?: string | undefined;
  readonly width?: string | undefined;
  readonly height?: string | undefined;
  readonly images?: readonly string[] | undefined;
  readonly mask?: string | undefined;
}

/** The value of an input. */
export interface BoundValue {
  readonly binding: string;
  readonly value: string | number;
}

/** Throws `configuration` for a file that is no workflow or lacks a bound node or input. */
function parseWorkflow(text: string, bindings: Bindings): Workflow {
  const parsed = v.safeParse(Workflow, parseJson(text));
  if (!parsed.success) throw unusable('is no export for the API of ComfyUI');
  const workflow = parsed.output;
  if (!Object.hasOwn(workflow, bindings.output)) throw unusable('has no node of the id in output');
  for (const [name, bound] of boundInputs(bindings)) {
    const { node, input } = parseBinding(bound);
    const inputs = Object.hasOwn(workflow, node) ? workflow[node]?.inputs : undefined;
    if (!inputs || !Object.hasOwn(inputs, input))
      throw unusable(`has no input as bound in ${name}`);
  }
  return workflow;
}

/** A copy of the workflow with these values. */
export function withValues(workflow: Workflow, values: readonly BoundValue[]): Workflow {
  const nodes = new Map(Object.entries(workflow));
  for (const { binding, value } of values) {
    const { node: id, input } = parseBinding(binding);
    const node = nodes.get(id);
    if (node) nodes.set(id, { ...node, inputs: { ...node.inputs, [input]: value } });
  }
  return Object.fromEntries(nodes);
}

/** The binding of another input of the same node, if the node has it. */
export function siblingBinding(
  workflow: Workflow,
  binding: string,
  input: string,
): string | undefined {
  const { node } = parseBinding(binding);
  const inputs = workflow[node]?.inputs ?? {};
  return Object.hasOwn(inputs, input) ? `${node}.${input}` : undefined;
}

/** Every bound input with the name of its setting. */
function boundInputs(bindings: Bindings): readonly (readonly [name: string, bound: string])[] {
  const names = ['prompt', 'negative_prompt', 'seed', 'width', 'height', 'images', 'mask'] as const;
  return names.flatMap((name) =>
    [bindings[name] ?? []].flat().map((bound) => [name, bound] as const),
  );
}

/** The id of a node has no dot; the name of an input may have some. */
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

function unusable(what: string): BridgeError {
  return new BridgeError('configuration', `the workflow of the model ${what}`);
}

type Settings = Config['providers']['comfyui'][string]['workflows'][string];

// Room for a thousand nodes. The history of the server repeats it, and is read up to twice this length.
const MAX_BYTES = 1_048_576;
// Opening a pipe must not wait for its other end.
const READ = constants.O_RDONLY | constants.O_NONBLOCK;

/** The workflow of a model as its file is now. Throws `configuration` for one that cannot be used; the path is not in its message. */
export async function readWorkflow(settings: Settings): Promise<Workflow> {
  return parseWorkflow(await readText(settings.file), settings);
}

async function readText(path: string): Promise<string> {
  try {
    const file = await open(resolve(path), READ);
    try {
      const found = await file.stat();
      if (!found.isFile()) throw unreadable('is no regular file');
      if (found.size > MAX_BYTES) throw unreadable('is larger than 1 MiB');
      return (await readBytes(file, found.size)).toString('utf8');
    } finally {
      await file.close();
    }
  } catch (cause) {
    throw cause instanceof BridgeError ? cause : unreadable('cannot be read', cause);
  }
}

function unreadable(what: string, cause?: unknown): BridgeError {
  return new BridgeError('configuration', `the workflow of the model ${what}`, { cause });
}
