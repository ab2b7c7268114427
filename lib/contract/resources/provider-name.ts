/** `agent-app-server` for `agent_app_server`. */
export type ProviderNameOf<Key extends string> = Key extends `${infer Head}_${infer Tail}`
  ? `${Head}-${ProviderNameOf<Tail>}`
  : Key;

/** The registered name of the provider whose settings have this key: what requests, replies, logs and metrics call it. */
export function toProviderName<const Key extends string>(key: Key): ProviderNameOf<Key> {
  // The type says the same as the expression, which the compiler cannot follow.
  return key.replaceAll('_', '-') as ProviderNameOf<Key>;
}
