import { describe, expect, it } from 'vitest';
import { remedy } from '#tests/lab/namespaces.ts';

const withSettings = (settings: Record<string, string>) => remedy((name) => settings[name] ?? null);

describe('what lets an ordinary user have a lab', () => {
  it("names Ubuntu's switch where it is on", () => {
    const said = withSettings({ 'kernel.apparmor_restrict_unprivileged_userns': '1' });
    expect(said).toContain("Ubuntu's AppArmor");
    expect(said).toContain('sysctl -w kernel.apparmor_restrict_unprivileged_userns=0');
  });

  it("names the kernel's own switch where that forbids them", () => {
    const said = withSettings({
      'kernel.apparmor_restrict_unprivileged_userns': '0',
      'kernel.unprivileged_userns_clone': '0',
    });
    expect(said).toContain('sysctl -w kernel.unprivileged_userns_clone=1');
  });

  it('says that root needs none, where no switch is known', () => {
    expect(withSettings({})).toContain('root does not');
  });
});
