import { Check, ChevronsUpDown } from 'lucide';
import type { Provider, ProviderReport } from '../api/schemas.ts';
import { Icon } from '../controls/button.tsx';
import { Menu, MenuGroup, MenuItem, useMenu } from '../controls/menu.tsx';
import { usePage } from '../page-context.ts';
import { hasLogin } from '../providers/providers.ts';
import { text } from '../text/text.ts';
import { isRehearsal, isRehearsedFailure, toAbilities } from './model-abilities.ts';
import './model-picker.css';

/** Chooses the model. The list is grouped by provider, with the reason why a provider cannot be used. */
export function ModelPicker() {
  const { chosen, diagnostics } = usePage();
  const { isOpen, button, menu } = useMenu('listbox');
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
          <i class={isUnready ? 'dot warn' : 'dot'} />
          <span class="cut">{current?.model ?? text('make.model.loading')}</span>
          <span class="faint cut">{current?.provider.display_name}</span>
        </b>
        <Icon of={ChevronsUpDown} />
        <span class="abilities cut">
          {current?.capabilities ? toAbilities(current.capabilities) : ' '}
        </span>
      </button>
      {isOpen && (
        <Menu {...menu} class="model-menu" label={text('make.model')}>
          <ModelOptions />
        </Menu>
      )}
    </section>
  );
}

/** Lists the models by provider. Sandbox models that fail on purpose come last, because only developers need them. */
function ModelOptions() {
  const { value: list = [] } = usePage().providers.list;
  const groups = [
    ...list.map((provider) => ({ provider, title: provider.display_name, isFailure: false })),
    ...list.map((provider) => ({ provider, title: text('make.model.failures'), isFailure: true })),
  ];
  return (
    <>
      {groups.map(({ provider, title, isFailure }) => {
        const models = provider.models.filter((model) => isRehearsedFailure(model) === isFailure);
        if (isFailure && models.length === 0) return null;
        return (
          <MenuGroup key={`${provider.name}${isFailure}`} title={title}>
            {models.map((model) => (
              <ModelOption key={model} provider={provider} model={model} />
            ))}
          </MenuGroup>
        );
      })}
    </>
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

function notReady({ name, error_code: code }: ProviderReport): string {
  if (code === 'authentication') {
    return hasLogin(name) ? text('system.health.login') : text('system.health.key');
  }
  return code === 'configuration'
    ? text('system.health.configuration')
    : text('system.health.unready');
}
