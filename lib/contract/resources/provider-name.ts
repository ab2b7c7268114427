/** The registered name for a settings key, such as `agent-app-server` for `agent_app_server`. */
export type ProviderNameOf<Key extends string> = Key extends `${infer Head}_${infer Tail}`
  ? `${Head}-${ProviderNameOf<Tail>}`
  : Key;

/**
 * Returns the registered name of the provider whose settings have this key. Requests, replies, logs and metrics use this
 * name.
 */
export function toProviderName<const Key extends string>(key: Key): ProviderNameOf<Key> {
  // The cast is safe because the type describes the same replacement, which the compiler cannot infer.
  return key.replaceAll('_', '-') as ProviderNameOf<Key>;
}
