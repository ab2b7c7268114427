import type { Session } from '../../../lib/contract/request/routing.ts';
import {
  createSessionLocks,
  createSessions,
  createSessionTurns,
} from '../../../lib/sessions/sessions.ts';
import { createScriptedProvider } from '../../support/scripted-provider.ts';
import { openTestStores } from '../../support/stores.ts';
import { anything } from '../generation/capability-documents.ts';

export const noAbort = new AbortController().signal;

/** Creates sessions as the app does, with their own database and a scripted agent with threads. */
export async function openSessions() {
  const threads = new Set<string>();
  const agent = createScriptedProvider({
    name: 'agent-app-server',
    capabilities: anything,
    threads,
  });
  const sandbox = createScriptedProvider({ name: 'sandbox', capabilities: anything });
  const { sessions: store, close } = await openTestStores();
  const locks = createSessionLocks();
  const turns = createSessionTurns({ store, locks });
  const findProvider = (name: string) => [agent, sandbox].find((it) => it.name === name);
  const sessions = createSessions({ store, locks, findProvider });

  function turnOf(session: Session, scope = 'anonymous') {
    return { session, scope, provider: agent, model: 'm', requestId: 'r' };
  }
  return {
    threads,
    agent,
    store,
    locks,
    turns,
    sessions,
    turnOf,
    begin: (session: Session, { scope = 'anonymous', signal = noAbort } = {}) =>
      turns.begin(turnOf(session, scope), signal),
    close,
  };
}
