import * as v from 'valibot';
import type { Workflow } from './workflow.ts';

const SHOWABLE_ID = /^[\w.-]{1,64}$/;
const SHOWABLE_TYPE = /^[\w .:()+|,&/-]{1,64}$/;

/** The messages of an ended prompt: each a list of its kind and its data (ComfyUI's `execution.py`). */
const Messages = v.array(v.unknown());
const NodeMessage = v.looseTuple([v.string(), v.object({ node_id: v.string() })]);

/**
 * Returns the id and the type of a failed node, as the workflow file of the operator has them. Returns nothing for a node that
 * is not in the file: the server's own texts are not passed on.
 */
export function nodeDetails(
  id: string | undefined,
  workflow: Workflow,
): { readonly node_id?: string; readonly node_type?: string } {
  // A node that another one has created while it ran has an id such as `12.0.3` or `12:3`.
  const own = [id, id?.split(/[.:]/)[0]].find(
    (it) => it !== undefined && Object.hasOwn(workflow, it),
  );
  if (own === undefined || !SHOWABLE_ID.test(own)) return {};
  const type = workflow[own]?.class_type ?? '';
  return { node_id: own, ...(SHOWABLE_TYPE.test(type) ? { node_type: type } : {}) };
}

/** Returns the id of the node in the messages of a prompt that failed. */
export function failedNodeId(messages: unknown): string | undefined {
  const list = v.safeParse(Messages, messages);
  const last = list.success ? list.output.findLast((it) => v.is(NodeMessage, it)) : undefined;
  const parsed = v.safeParse(NodeMessage, last);
  return parsed.success ? parsed.output[1].node_id : undefined;
}
