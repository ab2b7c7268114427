import type { SqliteStores } from './sqlite-stores.ts';

/** The kind of a method, which decides its thread: one thread has the only connection that writes, the other only reads. */
export type MethodKind = 'read' | 'write';

type MethodKinds<Ports> = {
  readonly [P in keyof Ports]: { readonly [M in keyof Ports[P]]: MethodKind };
};

/**
 * Every method of every port. The type requires an entry for each method. A method that writes fails if its entry is `read`.
 */
export const STORE_METHODS: MethodKinds<SqliteStores> = {
  jobs: {
    submit: 'write',
    refuseWhenFull: 'read',
    findByKey: 'read',
    claim: 'write',
    settle: 'write',
    cancel: 'write',
    listCancellations: 'read',
    update: 'write',
    markImage: 'write',
    find: 'read',
    listActive: 'read',
    list: 'read',
    count: 'read',
    summaries: 'read',
    listImages: 'read',
    listDerived: 'read',
    listKin: 'read',
    listMasks: 'read',
    changes: 'read',
    changesAfter: 'read',
    listAbandonedOutputs: 'read',
    resumeAbandoned: 'write',
    interruptAbandoned: 'write',
    prune: 'write',
    listInputs: 'read',
    needsInput: 'read',
    totals: 'read',
  },
  history: { countPeriods: 'read', listPrompts: 'read', countLabels: 'read' },
  queue: {
    read: 'read',
    listActiveOf: 'read',
    list: 'read',
    find: 'read',
    outlook: 'read',
    setPaused: 'write',
  },
  batches: { add: 'write', find: 'read', remove: 'write', replaceJobs: 'write' },
  presets: { create: 'write', replace: 'write', remove: 'write', find: 'read', list: 'read' },
  sessions: { bind: 'write', findThread: 'read', findKey: 'read', remove: 'write' },
  ledger: {
    reserve: 'write',
    begin: 'write',
    addCall: 'write',
    accept: 'write',
    withdrawTicket: 'write',
    renew: 'write',
    close: 'write',
    record: 'write',
    recover: 'write',
  },
  usage: {
    charged: 'read',
    spent: 'read',
    balances: 'read',
    list: 'read',
    listModels: 'read',
    listTokens: 'read',
    prune: 'write',
  },
  billing: { list: 'read', settle: 'write', days: 'read', prune: 'write' },
  webhooks: {
    listQueues: 'read',
    countPending: 'read',
    claim: 'write',
    settle: 'write',
    putBack: 'write',
  },
  artifacts: {
    claim: 'write',
    rename: 'write',
    publish: 'write',
    findOwnIntents: 'read',
    discard: 'write',
    find: 'read',
    listByAge: 'read',
    withdraw: 'write',
    abandon: 'write',
    takeAbandoned: 'write',
    findNames: 'read',
    isEmpty: 'read',
    totals: 'read',
  },
  lease: { begin: 'write', renew: 'write' },
  // The probe tries to write after a rejected write.
  health: { probe: 'write', sizes: 'read' },
};
