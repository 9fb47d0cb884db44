package crmclient

import (
	"bufio"
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"
)

const stopTime = 10 * time.Second

// A Sandbox is a CRM of its own for tests, which the command line tool crm runs.
type Sandbox struct {
	BaseURL string
	// Env has the address, the key, and env of the fixtures, for other processes.
	Env   map[string]string
	child *exec.Cmd
}

// SandboxOptions are those of StartSandbox.
type SandboxOptions struct {
	// Seed names fixture files.
	Seed []string
	// Flags are further flags of crm sandbox start.
	Flags []string
	// Crm is the command and its first arguments; crm by default.
	Crm []string
}

// StartSandbox starts a sandbox. It ends with Stop, or after --ttl (an hour) if this process is killed. The error has what
// crm said.
func StartSandbox(options SandboxOptions) (*Sandbox, error) {
	random := make([]byte, 4)
	if _, err := rand.Read(random); err != nil {
		return nil, err
	}
	name := fmt.Sprintf("test-%d-%s", os.Getpid(), hex.EncodeToString(random))
	words := []string{"sandbox", "start", "--foreground", "--name", name}
	for _, file := range options.Seed {
		words = append(words, "--seed", file)
	}
	child := options.command(append(words, options.Flags...)...)
	var said bytes.Buffer
	child.Stderr = &said
	output, err := child.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := child.Start(); err != nil {
		return nil, err
	}
	if _, err := bufio.NewReader(output).ReadString('\n'); err != nil {
		child.Wait()
		return nil, fmt.Errorf("crm sandbox start failed: %s", strings.TrimSpace(said.String()))
	}
	sandbox := &Sandbox{child: child}
	shown, err := options.command("sandbox", "env", "--name", name, "-o", "json").Output()
	if err == nil {
		err = json.Unmarshal(shown, &sandbox.Env)
	}
	if err != nil {
		sandbox.Stop()
		return nil, fmt.Errorf("crm sandbox env: %w", err)
	}
	sandbox.BaseURL = sandbox.Env["CRM_BASE_URL"]
	return sandbox, nil
}

func (options SandboxOptions) command(words ...string) *exec.Cmd {
	crm := options.Crm
	if len(crm) == 0 {
		crm = []string{"crm"}
	}
	return exec.Command(crm[0], append(append([]string{}, crm[1:]...), words...)...)
}

// Client is a client of the sandbox.
func (sandbox *Sandbox) Client(given ...Option) (*Client, error) {
	return New(sandbox.BaseURL, sandbox.Env["CRM_API_KEY"], given...)
}

// Stop ends it; its data is gone.
func (sandbox *Sandbox) Stop() {
	sandbox.child.Process.Signal(syscall.SIGTERM)
	late := time.AfterFunc(stopTime, func() { sandbox.child.Process.Kill() })
	sandbox.child.Wait()
	late.Stop()
}
