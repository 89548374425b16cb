// Reads a history from standard input, one operation in JSON a line, and checks with porcupine that each object in it behaved
// like one copy that took one operation at a time.
package main

import (
	"encoding/json"
	"io"
	"log"
	"math"
	"os"
	"slices"
	"sort"
	"time"

	"github.com/anishathalye/porcupine"
)

const patience = time.Minute

// Operation is one call. Without an answer nobody knows whether a write happened; such reads are left out of a history.
type Operation struct {
	Object string `json:"object"`
	Model  string `json:"model"`
	Client int    `json:"client"`
	// Of a register: "read" or "write". Of a claim: "claim". Of a limit: "spend".
	Kind  string `json:"kind"`
	Value string `json:"value"`
	// Of a claim or a limit: whether it succeeded.
	Granted bool  `json:"granted"`
	Limit   int   `json:"limit"`
	CallNs  int64 `json:"callNs"`
	// Absent without an answer.
	ReturnNs *int64 `json:"returnNs"`
}

type report struct {
	Operations int      `json:"operations"`
	Objects    int      `json:"objects"`
	Wrong      []string `json:"wrong"`
	Undecided  []string `json:"undecided"`
}

var models = map[string]porcupine.Model{
	"register": {Init: func() any { return "" }, Step: register},
	"claim":    {Init: func() any { return "" }, Step: claim},
	"limit":    {Init: func() any { return 0 }, Step: limit},
}

func register(state, input, _ any) (bool, any) {
	op := input.(Operation)
	if op.Kind == "write" {
		return true, op.Value
	}
	return state == op.Value, state
}

// Whoever claims first has it, and may claim again.
func claim(state, input, _ any) (bool, any) {
	op := input.(Operation)
	free := state == "" || state == op.Value
	if free && (op.Granted || op.ReturnNs == nil) {
		return true, op.Value
	}
	return op.ReturnNs == nil || (!free && !op.Granted), state
}

// Leaves out a claim without an answer after an earlier one of the same claimant: whatever it may have done, the earlier one
// may have done, too. Each that stays doubles what the checker may have to try.
func withoutRepeats(claims []porcupine.Operation) []porcupine.Operation {
	sort.SliceStable(claims, func(a, b int) bool { return claims[a].Call < claims[b].Call })
	seen := map[string]bool{}
	return slices.DeleteFunc(claims, func(one porcupine.Operation) bool {
		op := one.Input.(Operation)
		if op.ReturnNs != nil {
			return false
		}
		isRepeat := seen[op.Value]
		seen[op.Value] = true
		return isRepeat
	})
}

func limit(state, input, _ any) (bool, any) {
	op := input.(Operation)
	spent := state.(int)
	if op.ReturnNs == nil {
		return true, min(spent+1, op.Limit)
	}
	if op.Granted {
		return spent < op.Limit, spent + 1
	}
	return spent >= op.Limit, state
}

func main() {
	histories := map[string][]porcupine.Operation{}
	kinds := map[string]string{}
	out := report{Wrong: []string{}, Undecided: []string{}}
	decoder := json.NewDecoder(os.Stdin)
	for {
		var op Operation
		if err := decoder.Decode(&op); err == io.EOF {
			break
		} else if err != nil {
			log.Fatal(err)
		}
		end := int64(math.MaxInt64)
		if op.ReturnNs != nil {
			end = *op.ReturnNs
		}
		out.Operations++
		kinds[op.Object] = op.Model
		histories[op.Object] = append(histories[op.Object],
			porcupine.Operation{ClientId: op.Client, Input: op, Call: op.CallNs, Return: end})
	}
	out.Objects = len(histories)
	for object, history := range histories {
		if kinds[object] == "claim" {
			history = withoutRepeats(history)
		}
		switch porcupine.CheckOperationsTimeout(models[kinds[object]], history, patience) {
		case porcupine.Illegal:
			out.Wrong = append(out.Wrong, object)
		case porcupine.Unknown:
			out.Undecided = append(out.Undecided, object)
		}
	}
	if err := json.NewEncoder(os.Stdout).Encode(out); err != nil {
		log.Fatal(err)
	}
}
