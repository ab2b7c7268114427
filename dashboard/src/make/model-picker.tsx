import { Check, ChevronRight, ChevronsUpDown, Search } from 'lucide';
import { useRef, useState } from 'preact/hooks';
import type { Provider, ProviderReport } from '../api/schemas.ts';
import { Icon } from '../controls/button.tsx';
import { Field } from '../controls/inputs.tsx';
import { Menu, MenuGroup, MenuItem, useMenu } from '../controls/menu.tsx';
import { usePage } from '../page-context.ts';
import { hasLogin } from '../providers/providers.ts';
import { text } from '../text/text.ts';
import { isRehearsal, isRehearsedFailure, toAbilities } from './model-abilities.ts';
import './model-picker.css';

/** Chooses the model. The list is grouped by provider, with the reason why a provider cannot be used. */
export function ModelPicker() {
  const { chosen, diagnostics } = usePage();
  const { isOpen, button, menu } = useMenu('dialog');
  const current = chosen.value;
  const isUnready = useReport(current?.provider.name)?.ready === false;
  return (
    <section class="model-picker stack">
      <h3 id="model-title" class="soft">
        {text('make.model')}
      </h3>
      <button
        {...button}
        type="button"
        class="model edged"
        aria-describedby="model-title"
        onClick={() => {
          void diagnostics.read();
          button.onClick();
        }}
      >
        <b class="row">
          <i class={current === undefined ? 'dot off' : isUnready ? 'dot warn' : 'dot'} />
          <span class="cut">{current?.model ?? text('make.model.loading')}</span>
          <span class="faint cut">{current?.provider.display_name}</span>
        </b>
        <Icon of={ChevronsUpDown} />
        <span class="abilities">
          {current?.capabilities ? toAbilities(current.capabilities) : ' '}
        </span>
      </button>
      {isOpen && (
        <Menu {...menu} class="model-menu" label={text('make.model')} placement="right-start">
          <ModelChoice />
        </Menu>
      )}
    </section>
  );
}

/** The number of models from which the list has a field to filter it. */
const MANY = 12;

/** Offers the models in a list with a filter. Typing goes to the filter, and the arrow keys move through the list. */
function ModelChoice() {
  const { value: list = [] } = usePage().providers.list;
  const [filter, setFilter] = useState('');
  const box = useRef<HTMLDivElement>(null);
  const count = list.reduce((sum, { models }) => sum + models.length, 0);

  function onKeyDown(event: KeyboardEvent): void {
    const items = [...(box.current?.querySelectorAll<HTMLElement>('[role="option"]') ?? [])];
    const field = box.current?.querySelector('input');
    const at = items.indexOf(document.activeElement as HTMLElement);
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) {
      event.preventDefault();
      const next = at + step;
      if (next < 0 && at === 0 && field) field.focus();
      else items[(next + items.length) % items.length]?.focus();
    } else if (at >= 0 && event.key.length === 1 && event.key !== ' ' && !event.ctrlKey) {
      // The browser types the letter into the field, because the field has the focus before the letter is typed.
      field?.focus();
    }
  }

  return (
    <div ref={box} class="model-choice stack" onKeyDown={onKeyDown}>
      {count >= MANY && <ModelFilter value={filter} onInput={setFilter} />}
      <div role="listbox" aria-label={text('make.model')} class="scroll" tabIndex={-1}>
        <ModelOptions filter={filter.trim().toLowerCase()} />
      </div>
    </div>
  );
}

interface FilterProps {
  readonly value: string;
  readonly onInput: (value: string) => void;
}

/** Takes the words that select models in a long list. */
export function ModelFilter({ value, onInput }: FilterProps) {
  return (
    <Field
      type="search"
      label={text('make.model.filter')}
      placeholder={text('make.model.filter')}
      value={value}
      before={<Icon of={Search} />}
      onInput={onInput}
    />
  );
}

/**
 * Lists the models by provider. Sandbox models that fail on purpose come last and are folded, because only developers
 * need them.
 */
function ModelOptions({ filter }: { readonly filter: string }) {
  const { chosen, providers } = usePage();
  const { value: list = [] } = providers.list;
  const [isUnfolded, setUnfolded] = useState(isRehearsedFailure(chosen.peek()?.model ?? ''));
  const groups = list.map((provider) => {
    const isMatch = (model: string) =>
      `${provider.display_name} ${model}`.toLowerCase().includes(filter);
    const models = provider.models.filter(isMatch);
    return {
      provider,
      models: models.filter((model) => !isRehearsedFailure(model)),
      failures: models.filter(isRehearsedFailure),
    };
  });
  const count = groups.reduce((sum, { failures }) => sum + failures.length, 0);
  const isShown = isUnfolded || filter !== '';
  const isNone = count + groups.reduce((sum, { models }) => sum + models.length, 0) === 0;
  return (
    <>
      {groups.map(({ provider, models }) => (
        <ModelGroup
          key={provider.name}
          provider={provider}
          title={provider.display_name}
          models={models}
        />
      ))}
      {count > 0 && !isShown && (
        <button
          type="button"
          class="menu-item pickable"
          role="option"
          aria-selected={false}
          tabIndex={-1}
          onClick={() => setUnfolded(true)}
        >
          <Icon of={ChevronRight} />
          <span class="cut">{text('make.model.failures')}</span>
          <span class="end num">{count}</span>
        </button>
      )}
      {isShown &&
        groups.map(({ provider, failures }) => (
          <ModelGroup
            key={provider.name}
            provider={provider}
            title={text('make.model.failures')}
            models={failures}
          />
        ))}
      {isNone && filter !== '' && <p class="hint note">{text('make.model.none')}</p>}
    </>
  );
}

interface ModelGroupProps {
  readonly provider: Provider;
  readonly title: string;
  readonly models: readonly string[];
}

function ModelGroup({ provider, title, models }: ModelGroupProps) {
  if (models.length === 0) return null;
  return (
    <MenuGroup title={title}>
      {models.map((model) => (
        <ModelOption key={model} provider={provider} model={model} />
      ))}
    </MenuGroup>
  );
}

function ModelOption({ provider, model }: { readonly provider: Provider; readonly model: string }) {
  const { chosen, draft, providers } = usePage();
  const report = useReport(provider.name);
  const document = providers.capabilities(provider.name, model).value;
  const abilities = document && !isRehearsedFailure(model) && toAbilities(document);
  const isDefault = provider.default && model === provider.default_model;
  const current = chosen.value;
  const isCurrent = current?.provider.name === provider.name && current.model === model;
  return (
    <MenuItem
      role="option"
      selected={isCurrent}
      disabled={report?.ready === false}
      {...(isCurrent && { icon: Check })}
      end={
        isDefault
          ? text('make.model.default')
          : isRehearsal(provider.name) && text('make.model.rehearsal')
      }
      detail={report?.ready === false ? notReady(report) : abilities}
      onChoose={() => {
        const { provider: _, model: __, ...rest } = draft.settings.peek().routing ?? {};
        draft.change({ routing: isDefault ? rest : { ...rest, provider: provider.name, model } });
      }}
    >
      {model}
    </MenuItem>
  );
}

/** Returns the last report about a provider. Undefined also if the token lacks the permission to read reports. */
function useReport(name: string | undefined): ProviderReport | undefined {
  const { latest } = usePage().diagnostics;
  return latest.value?.report.providers.find((each) => each.name === name);
}

/** Describes why a provider is not ready. */
export function notReady({ name, error_code: code }: ProviderReport): string {
  if (code === 'authentication') {
    return hasLogin(name) ? text('system.health.login') : text('system.health.key');
  }
  return code === 'configuration'
    ? text('system.health.configuration')
    : text('system.health.unready');
}
